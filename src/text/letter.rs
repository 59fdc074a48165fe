//! Characters that no page may hold.

/// Whether a character has no place in HTML or XML: control characters other than blanks, and the
/// code points that are no characters.
pub fn has_no_place(letter: char) -> bool {
    match letter {
        '\t' | '\n' | '\r' => false,
        '\u{fdd0}'..='\u{fdef}' => true,
        letter => letter.is_control() || u32::from(letter) & 0xfffe == 0xfffe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_non_characters_have_no_place() {
        for letter in [
            '\0',
            '\u{7f}',
            '\u{85}',
            '\u{9b}',
            '\u{fdd0}',
            '\u{ffff}',
            '\u{10fffe}',
        ] {
            assert!(has_no_place(letter), "{letter:?}");
        }
        for letter in ['\t', 'a', 'é', '\u{a0}', '\u{fffd}', '\u{200f}', '😀'] {
            assert!(!has_no_place(letter), "{letter:?}");
        }
    }
}
