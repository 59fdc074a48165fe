//! Addresses of links and images: which are safe, which lead out, which the site resolves.

use std::borrow::Cow;

use crate::text::letter::has_no_place;

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// To another site, mail or telephone; the address as a browser understands it.
    Outside(String),
    /// To a page or file of this site, or to something the site makes.
    Inside,
    /// Its scheme may run code, or leaves the site without saying how.
    Unsafe(String),
}

/// Schemes of links that leave the site.
const OUTSIDE: &[&str] = &["http", "https", "mailto", "tel"];
/// Schemes that the site resolves.
const INSIDE: &[&str] = &["experiment", "site"];

/// Sorts an address the way a browser reads it: without blanks and control characters around it,
/// and without tabs and line ends inside.
pub(super) fn target(address: &str) -> Target {
    let address = browser(address);
    let scheme = address
        .find(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '+' | '-' | '.'));
    if let Some(end) = scheme
        && address[end..].starts_with(':')
        && address.starts_with(|letter: char| letter.is_ascii_alphabetic())
    {
        let scheme = address[..end].to_ascii_lowercase();
        if OUTSIDE.contains(&scheme.as_str()) {
            return Target::Outside(address.into_owned());
        }
        if INSIDE.contains(&scheme.as_str()) {
            return Target::Inside;
        }
        return Target::Unsafe(format!("the scheme `{scheme}:` is not allowed"));
    }
    let slash = |letter| matches!(letter, '/' | '\\');
    let mut letters = address.chars();
    if letters.next().is_some_and(slash) && letters.next().is_some_and(slash) {
        return Target::Unsafe("an address that begins with `//` leaves the site".to_owned());
    }
    if address.chars().any(char::is_control) {
        return Target::Unsafe("the address holds control characters".to_owned());
    }
    Target::Inside
}

fn browser(address: &str) -> Cow<'_, str> {
    let address = address.trim_matches(|letter: char| letter <= ' ');
    if address.contains(['\t', '\n', '\r']) {
        return Cow::Owned(address.replace(['\t', '\n', '\r'], ""));
    }
    Cow::Borrowed(address)
}

/// An address for use in an attribute: signs that can't stand in addresses percent-encoded.
pub(super) fn encode(address: &str, out: &mut String) {
    const KEPT: &[u8] = b"-_.~!*'();:@=+$,/?#[]%";
    for letter in address.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&#39;"),
            _ if letter.is_ascii_alphanumeric() => out.push(letter),
            _ if letter.is_ascii() && KEPT.contains(&(letter as u8)) => out.push(letter),
            _ => {
                for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
}

/// A text for use between tags.
pub(super) fn escape(text: &str, out: &mut String) {
    escape_where(text, out, |byte| {
        may_have_no_place(byte) || matches!(byte, b'&' | b'<' | b'>')
    });
}

/// A text for use in an attribute with double quotes.
pub(super) fn escape_attribute(text: &str, out: &mut String) {
    escape_where(text, out, |byte| {
        may_have_no_place(byte) || matches!(byte, b'&' | b'<' | b'>' | b'"')
    });
}

/// Whether a character that begins with this byte may have to be dropped.
fn may_have_no_place(byte: u8) -> bool {
    byte < b' ' || matches!(byte, 0x7F | 0xC2 | 0xEF..)
}

/// Replaces what is special; control characters have no place in HTML and are dropped.
fn escape_where(text: &str, out: &mut String, special: impl Fn(u8) -> bool) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(&special) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'&' => out.push_str("&amp;"),
            b'<' => out.push_str("&lt;"),
            b'>' => out.push_str("&gt;"),
            b'"' => out.push_str("&quot;"),
            _ => {
                let letter = rest[at..].chars().next().unwrap_or_default();
                if !has_no_place(letter) {
                    out.push(letter);
                }
                rest = &rest[at + letter.len_utf8()..];
                continue;
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_schemes_are_seen_through_every_disguise() {
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\tscript:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}\u{2} javascript:alert(1)",
            "vbscript:x",
            "data:text/html,x",
            "file:///etc/passwd",
            "//host/path",
            "/\\host",
            "\\\\host",
            "/\t/host",
        ] {
            assert!(matches!(target(address), Target::Unsafe(_)), "{address:?}");
        }
    }

    #[test]
    fn safe_addresses_are_sorted() {
        for address in [
            "../a/index.md#x",
            "#x",
            "",
            "experiment:a",
            "site:claims",
            "a/b:c",
            "/x",
        ] {
            assert_eq!(target(address), Target::Inside, "{address:?}");
        }
        assert_eq!(
            target(" HTTPS://a.b/ "),
            Target::Outside("HTTPS://a.b/".to_owned())
        );
        assert!(matches!(target("mailto:a@b.c"), Target::Outside(_)));
    }

    #[test]
    fn addresses_and_texts_are_escaped() {
        let mut out = String::new();
        encode("https://a/ü?x=\"1\"&y=<", &mut out);
        assert_eq!(out, "https://a/%C3%BC?x=%221%22&amp;y=%3C");
        let mut out = String::new();
        escape_attribute("a\"<\u{0}ü>&", &mut out);
        assert_eq!(out, "a&quot;&lt;ü&gt;&amp;");
    }
}
