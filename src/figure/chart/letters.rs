//! How wide a text will be in a system sans, and how to fit it into a width.
//!
//! Widths are in hundredths of the type size, a little pessimistic: they cover the common system
//! faces, so that a label that fits here fits on every reader's machine.

/// Type size of every text in a chart, in units of the view box.
pub(super) const SIZE: f64 = 13.0;
/// Distance of two lines of text.
pub(super) const LINE: f64 = 15.0;

/// U+0020 to U+007E.
#[rustfmt::skip]
const ASCII: [u8; 95] = [
    31, 34, 45, 82, 62, 93, 76, 27, 38, 38, 56, 71, 31, 35, 31, 38, 62, 62, 62, 62, 62, 62, 62, 62,
    62, 62, 33, 33, 71, 71, 71, 52, 97, 67, 67, 68, 75, 62, 56, 76, 74, 34, 29, 64, 54, 91, 76, 79,
    61, 79, 68, 62, 60, 74, 67, 96, 67, 60, 67, 38, 38, 38, 71, 49, 39, 60, 62, 54, 62, 60, 35, 62,
    62, 27, 27, 57, 27, 95, 62, 61, 62, 62, 42, 51, 38, 62, 58, 80, 58, 58, 51, 51, 56, 51, 71,
];
/// U+0400 to U+045F.
#[rustfmt::skip]
const CYRILLIC: [u8; 96] = [
    62, 62, 77, 60, 68, 62, 34, 34, 29, 106, 102, 77, 69, 77, 63, 74, 67, 67, 67, 60, 76, 62, 105,
    63, 77, 77, 69, 73, 91, 74, 79, 74, 61, 68, 60, 63, 84, 67, 76, 70, 104, 106, 81, 86, 67, 68,
    106, 68, 60, 60, 58, 51, 67, 60, 88, 52, 65, 65, 59, 62, 75, 64, 61, 64, 62, 54, 57, 58, 83, 58,
    66, 62, 90, 92, 70, 78, 60, 54, 84, 59, 60, 60, 62, 51, 54, 51, 27, 27, 27, 88, 89, 64, 59, 65,
    58, 64,
];

fn letter(letter: char) -> f64 {
    let code = letter as usize;
    let hundredths = match code {
        0x20..=0x7e => ASCII[code - 0x20],
        0x400..=0x45f => CYRILLIC[code - 0x400],
        0xa0 | 0x2007 | 0x202f => 31,
        // Marks stand on the letter before them; format characters take no room.
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x610..=0x61a
        | 0x64b..=0x65f
        | 0x200b..=0x200f
        | 0x202a..=0x202e
        | 0x2060..=0x2069
        | 0xfe00..=0xfe0f
        | 0xfeff => 0,
        0xb7 | 0x2018..=0x201a | 0x2022 | 0x2039 | 0x203a => 38,
        0x2013 => 51,
        0xab | 0xbb | 0x201c..=0x201e | 0xb0 => 54,
        0x2014 | 0x2026 | 0x2116 => 101,
        0x3bc | 0xb5 => 64,
        0xd7 | 0xb1 | 0x2212 | 0x2264 | 0x2265 | 0x2190..=0x2193 => 80,
        0xcc..=0xcf | 0xec..=0xef | 0x128..=0x131 | 0x1ec8..=0x1ecb | 0x142 => 36,
        // Latin with marks: as wide as the widest of its kind (M and W carry no marks).
        0xc0..=0x24f | 0x1e00..=0x1eff if letter.is_uppercase() => 80,
        0xc0..=0x24f | 0x1e00..=0x1eff if matches!(letter, 'æ' | 'œ') => 98,
        0xc0..=0x24f | 0x1e00..=0x1eff => 67,
        0x370..=0x3ff => 72,
        0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfefe => 68,
        _ if is_wide(code) => 100,
        _ => 90,
    };
    f64::from(hundredths) / 100.0
}

fn is_wide(code: usize) -> bool {
    matches!(code, 0x1100..=0x115f | 0x2e80..=0xd7ff | 0xf900..=0xfaff | 0xff00..=0xff60 | 0x1f000..)
}

/// The width of a text at [`SIZE`].
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(letter).sum::<f64>() * SIZE
}

/// The width of the widest of several lines.
pub(super) fn widest<'a>(lines: impl IntoIterator<Item = &'a str>) -> f64 {
    lines.into_iter().map(width).fold(0.0, f64::max)
}

/// Breaks a text into at most `most` lines of a width; what doesn't fit is cut with `…`.
pub(super) fn wrap(text: &str, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in words(text) {
        let last = lines.len() - 1;
        if width(&lines[last]) + width(word.trim_end()) <= room {
            lines[last].push_str(word);
        } else if width(word.trim_end()) > room {
            break_word(&mut lines, word, room);
        } else {
            lines.push(word.to_owned());
        }
        if lines.len() > most {
            break;
        }
    }
    let cut = lines.len() > most;
    lines.truncate(most.max(1));
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    if let Some(last) = lines.last_mut().filter(|_| cut) {
        shorten(last, room);
    }
    lines
}

/// Pieces after which a line may break: blanks, hyphens, underscores, slashes, commas.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '-', '_', '/', '\n', '\t'])
}

fn break_word(lines: &mut Vec<String>, word: &str, room: f64) {
    if lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    for letter in word.chars() {
        let last = lines.len() - 1;
        let mut longer = lines[last].clone();
        longer.push(letter);
        if lines[last].is_empty() || width(&longer) <= room {
            lines[last] = longer;
        } else {
            lines.push(letter.to_string());
        }
    }
}

fn shorten(line: &mut String, room: f64) {
    while !line.is_empty() && width(line) + width("…") > room {
        line.pop();
    }
    line.truncate(line.trim_end().len());
    line.push('…');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_measured_by_their_letters() {
        assert!((width("0123456789") / SIZE - 6.2).abs() < 0.01);
        // Stacked marks take no room of their own, composed or not.
        assert_eq!(width("e\u{302}\u{301}"), width("e"));
        assert!(width("Thời gian tải dữ liệu") < width("WWWWWWWWWWWWWWWWWWWWW"));
        assert!((width("数据") / SIZE - 2.0).abs() < 0.01);
        assert!(width("ill") < width("WWW") / 2.0);
    }

    #[test]
    fn wraps_at_blanks_and_cuts_what_is_left() {
        assert_eq!(wrap("High Performance", 95.0, 2), ["High", "Performance"]);
        assert_eq!(wrap("High Performance", 200.0, 2), ["High Performance"]);
        let cut = wrap(&"x".repeat(200), 50.0, 2);
        assert_eq!(cut.len(), 2);
        assert!(cut[1].ends_with('…'));
        assert!(cut.iter().all(|line| width(line) <= 50.0));
        assert_eq!(wrap("", 50.0, 2), [""]);
    }
}
