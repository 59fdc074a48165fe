//! What a TOML reader says, in words for people who don't know its grammar.

use std::ops::Range;

/// A fault of a TOML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TomlFault {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub range: Range<usize>,
    /// How to mend it.
    pub help: Option<String>,
}

const UNCLOSED: &str = "a text in quotes isn't closed";

/// What a TOML reader found in a text, in words; the first fault of each line only, for others
/// on the line mostly follow from it.
pub fn toml_faults(text: &str, errors: &[toml::de::Error]) -> Vec<TomlFault> {
    let line = |at: usize| {
        text[..at.min(text.len())]
            .bytes()
            .filter(|&byte| byte == b'\n')
            .count()
    };
    let mut faults: Vec<TomlFault> = errors
        .iter()
        .map(|error| {
            let range = error.span().unwrap_or(0..0);
            let (message, range, help) = words(text, range, error.message());
            TomlFault {
                message,
                range,
                help,
            }
        })
        .collect();
    faults.sort_by_key(|fault| fault.range.start);
    faults.dedup_by_key(|fault| line(fault.range.start));
    // A quote that isn't closed inside a list takes the list's end along: whatever comes next
    // may only look wrong.
    let in_list = |fault: &TomlFault| {
        let before = &text[..fault.range.start];
        let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
        fault.message == UNCLOSED && line.contains("= [") | line.contains("= {")
    };
    if let Some(at) = faults.iter().position(in_list) {
        faults.truncate(at + 1);
    }
    faults
}

fn words(text: &str, range: Range<usize>, message: &str) -> (String, Range<usize>, Option<String>) {
    let message = message.trim().trim_end_matches('.').replace('\n', ", ");
    let start = text[..range.start.min(text.len())]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line = text[start..end].trim_end();
    if message.contains("duplicate key") {
        return (
            format!(
                "`{}` is given twice",
                text.get(range.clone()).unwrap_or("this key").trim()
            ),
            range,
            Some("keep one of the lines".to_owned()),
        );
    }
    if message.contains("visible characters") {
        let what = "a text in quotes holds a control character".to_owned();
        return (
            what,
            range,
            Some("write it as an escape, such as `\\u001B`".to_owned()),
        );
    }
    // `title = "Bench notes` is reported at the line's end; what matters is where the quote opened.
    if let Some(at) = open_quote(line).filter(|_| message.contains("string, expected")) {
        return (
            UNCLOSED.to_owned(),
            start + at..start + line.len(),
            Some("close it with `\"` on the same line".to_owned()),
        );
    }
    if let Some(value) = bare_value(line) {
        let written = &line[value.clone()];
        if start + value.start <= range.start && range.start <= start + value.end {
            return (
                format!("`{written}` stands without quotes"),
                start + value.start..start + value.end,
                Some(format!("write texts in quotes: `\"{written}\"`")),
            );
        }
    }
    let mut letters = message.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .collect();
    (first + letters.as_str(), range, None)
}

/// Where a quotation mark opens that isn't closed on its line.
fn open_quote(line: &str) -> Option<usize> {
    let mut open = None;
    let mut escaped = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '\\' if open.is_some() => escaped = !escaped,
            '"' if !escaped => open = if open.is_some() { None } else { Some(at) },
            _ => escaped = false,
        }
    }
    open
}

/// The words after `key =` that begin with a letter and stand without quotes.
fn bare_value(line: &str) -> Option<Range<usize>> {
    let equals = line.find('=')?;
    let value = line[equals + 1..].trim();
    let value = value.split('#').next().unwrap_or(value).trim();
    let word = value.chars().next().is_some_and(char::is_alphabetic)
        && !value.contains(['"', '\'', '[', '{', '=']);
    let at = equals + 1 + line[equals + 1..].find(value)?;
    (word && !matches!(value, "true" | "false" | "inf" | "nan")).then_some(at..at + value.len())
}

#[cfg(test)]
mod tests {
    use super::toml_faults;

    fn words(text: &str) -> (String, String) {
        let (_, errors) = toml::de::DeTable::parse_recoverable(text);
        let mut faults = toml_faults(text, &errors);
        assert_eq!(faults.len(), 1, "{faults:?}");
        let fault = faults.remove(0);
        (fault.message, text[fault.range].to_owned())
    }

    #[test]
    fn slips_that_people_make_get_plain_words() {
        let said = |message: &str, place: &str| (message.to_owned(), place.to_owned());
        assert_eq!(
            words("a = 1\nb = nominal\n"),
            said("`nominal` stands without quotes", "nominal")
        );
        assert_eq!(
            words("b = Page buffers # x\n"),
            said("`Page buffers` stands without quotes", "Page buffers")
        );
        assert_eq!(
            words("a = \"open\nb = 1\n"),
            said("a text in quotes isn't closed", "\"open")
        );
        assert_eq!(
            words("a = [\"x\", \"open]\nb = 1\n"),
            said("a text in quotes isn't closed", "\"open]")
        );
        assert_eq!(words("a = 1\na = 2\n"), said("`a` is given twice", "a"));
    }
}
