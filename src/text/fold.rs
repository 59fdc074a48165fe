//! Texts reduced to what search and addresses compare: no case, no accents.
//!
//! The search script folds queries by the same three steps and tables: lower case, then NFD without
//! [`MARKS`], then [`LETTERS`] and NFC.

use std::ops::RangeInclusive;

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Marks that are dropped: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowel signs.
pub const MARKS: &[RangeInclusive<char>] = &[
    '\u{300}'..='\u{36f}',
    '\u{591}'..='\u{5bd}',
    '\u{5bf}'..='\u{5bf}',
    '\u{5c1}'..='\u{5c2}',
    '\u{5c4}'..='\u{5c5}',
    '\u{5c7}'..='\u{5c7}',
    '\u{64b}'..='\u{65f}',
    '\u{670}'..='\u{670}',
];

/// Letters that no mark tells from their plain form.
pub const LETTERS: &[(char, &str)] = &[
    ('đ', "d"),
    ('ð', "d"),
    ('ħ', "h"),
    ('ı', "i"),
    ('ł', "l"),
    ('ø', "o"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ß', "ss"),
    ('ς', "σ"),
];

/// Lower case without accents: NFD, marks dropped, `đ` to `d`, `ё` to `е`, `ß` to `ss`.
pub fn fold(text: &str) -> String {
    let nfd = DecomposingNormalizerBorrowed::new_nfd();
    let mut out = String::with_capacity(text.len());
    for letter in nfd.normalize_iter(text.to_lowercase().chars()) {
        if MARKS.iter().any(|marks| marks.contains(&letter)) {
            continue;
        }
        match LETTERS.iter().find(|(from, _)| *from == letter) {
            Some((_, to)) => out.push_str(to),
            None => out.push(letter),
        }
    }
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(&out)
        .into_owned()
}

/// What file systems compare that know neither case nor how accents are composed: two names that
/// are equal here may be one file.
pub fn file_name(name: &str) -> String {
    let lower = name.to_lowercase();
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(&lower)
        .into_owned()
}

/// Longest slug in bytes: with an ending it still fits every file system.
const LONGEST: usize = 180;

/// An address part from a title: folded, letters and digits of every script kept, other signs to
/// single `-`; never empty, never a name that Windows reserves.
pub fn slug(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for letter in slug_letters(text) {
        if out.len() + letter.len_utf8() >= LONGEST {
            break;
        }
        if !is_kept(letter) {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push('-');
        }
        gap = false;
        out.push(letter);
    }
    if out.is_empty() {
        out.push_str("page");
    } else if is_reserved(&out) {
        out.push_str("-page");
    }
    out
}

/// Folds, but keeps `й` and its like: in an address they are letters, not accents.
fn slug_letters(text: &str) -> Vec<char> {
    const KEPT: &str = "йўїѓќ";
    let composed = ComposingNormalizerBorrowed::new_nfc()
        .normalize(text)
        .to_lowercase();
    let mut letters = Vec::new();
    for piece in composed.split_inclusive(|letter| KEPT.contains(letter)) {
        let last = piece
            .chars()
            .next_back()
            .filter(|letter| KEPT.contains(*letter));
        let plain = last.map_or(piece, |last| &piece[..piece.len() - last.len_utf8()]);
        letters.extend(fold(plain).chars());
        letters.extend(last);
    }
    letters
}

/// Letters, digits, and the marks that words of some scripts can't do without.
fn is_kept(letter: char) -> bool {
    const NOT_REORDERED: u8 = 0;
    letter.is_alphanumeric()
        || CanonicalCombiningClassMapBorrowed::new().get_u8(letter) != NOT_REORDERED
}

fn is_reserved(name: &str) -> bool {
    if matches!(name, "con" | "prn" | "aux" | "nul") {
        return true;
    }
    let number = name
        .strip_prefix("com")
        .or_else(|| name.strip_prefix("lpt"));
    number.is_some_and(|number| {
        let mut digits = number.chars();
        matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³')) && digits.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folds_what_search_ignores() {
        for (text, folded) in [
            ("Größe", "grosse"),
            ("STRASSE", "strasse"),
            ("Đường dẫn", "duong dan"),
            ("Kết quả đo", "ket qua do"),
            ("Ёлка", "елка"),
            ("İstanbul", "istanbul"),
            ("Łódź", "lodz"),
            ("ΟΔΟΣ", "οδοσ"),
            ("中文", "中文"),
            ("한국어", "한국어"),
            ("がぎ", "がぎ"),
            ("مُحَمَّد", "محمد"),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn makes_addresses() {
        for (text, address) in [
            (
                "Page buffers by architecture",
                "page-buffers-by-architecture",
            ),
            ("  — 4 h 7 min!  ", "4-h-7-min"),
            (
                "Быстрый план питания: ещё раз",
                "быстрый-план-питания-еще-раз",
            ),
            ("Bộ nhớ đệm trang", "bo-nho-dem-trang"),
            ("innodb_log_file_size", "innodb-log-file-size"),
            ("हिन्दी भाषा", "हिन्दी-भाषा"),
            ("???", "page"),
            ("", "page"),
            ("CON", "con-page"),
            ("lpt1", "lpt1-page"),
            ("com¹", "com¹-page"),
            ("com10", "com10"),
            ("../../etc", "etc"),
        ] {
            assert_eq!(slug(text), address, "{text}");
        }
        assert!(slug(&"слово ".repeat(100)).len() <= 200);
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,24}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn slugs_are_safe(text in "\\PC{0,24}") {
            let slug = slug(&text);
            prop_assert!(!slug.is_empty() && slug.len() <= 200);
            prop_assert!(!slug.starts_with('-') && !slug.ends_with('-') && !slug.contains("--"));
            prop_assert!(!slug.contains(['/', '\\', '.', ' ', '%', '?', '#']));
            prop_assert!(!is_reserved(&slug));
            prop_assert_eq!(super::slug(&slug), slug.clone());
        }
    }
}
