//! Characters that are kept for marks: refused in what authors write.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Report, Source, Span};

/// Reports characters that are kept for marks, also those written as `&#xE000;`, and puts harmless
/// ones of the same length in their place.
pub(super) fn without_reserved<'a>(
    source: &Arc<Source>,
    start: usize,
    text: &'a str,
    report: &mut Report,
) -> Cow<'a, str> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // All of them begin with this byte in UTF-8; few texts hold it at all.
    if text.as_bytes().contains(&0xEE) {
        let reserved = |(_, letter): &(usize, char)| ('\u{E000}'..='\u{E00F}').contains(letter);
        found.extend(
            text.char_indices()
                .filter(reserved)
                .map(|(at, _)| at..at + 3),
        );
    }
    for (at, _) in text.match_indices("&#") {
        let rest = &text[at + 2..];
        let Some(end) = rest.bytes().take(12).position(|byte| byte == b';') else {
            continue;
        };
        let number = match rest[..end].strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => rest[..end].parse(),
        };
        if number.is_ok_and(|number| (0xE000..=0xE00F).contains(&number)) {
            found.push(at..at + 2 + end + 1);
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_owned();
    for range in found {
        let place = Span::new(source, start + range.start..start + range.end);
        report.push(
            Diagnostic::new(
                Code::ReservedCharacter,
                "a character is reserved for internal marks",
            )
            .at(place, "U+E000 to U+E00F can't be used")
            .help("remove it; it has no shape of its own in any standard"),
        );
        out.replace_range(range.clone(), &"?".repeat(range.len()));
    }
    Cow::Owned(out)
}
