//! What a translation says of its original: the digest of its words, and where it is written.

use super::front_matter::{FrontMatter, fences};
use super::tree::{self, Value};

/// Digest of title, description, headline labels and body, by which translations say what they
/// translate: the first 16 hexadecimal digits of BLAKE3 over the parts, each ended by a zero byte,
/// with line ends as `\n`. Other keys of the front matter don't count.
pub fn digest(front: &FrontMatter, body: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        let mut pieces = text.split("\r\n");
        if let Some(first) = pieces.next() {
            hasher.update(first.as_bytes());
        }
        for piece in pieces {
            hasher.update(b"\n").update(piece.as_bytes());
        }
        hasher.update(b"\0");
    };
    part(&front.title);
    part(front.description.as_deref().unwrap_or_default());
    for headline in &front.headlines {
        part(&headline.label);
    }
    part(body);
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The file's text with `translated_from` set in its front matter, or replaced there; everything
/// else byte for byte. A text without a front matter that can be read stays as it is.
pub fn set_translated_from(text: &str, digest: &str) -> String {
    const KEY: &str = "translated_from";
    let Some(Ok(fences)) = fences(text) else {
        return text.to_owned();
    };
    let inner = &text[fences.inner.clone()];
    let start = fences.inner.start;
    let first = text.find('\n').map_or(text, |at| &text[..=at]);
    let end = if first.ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let entries = if fences.yaml {
        match tree::yaml(inner) {
            Ok(entries) => entries,
            Err(_) => return text.to_owned(),
        }
    } else {
        match tree::toml(inner) {
            (entries, faults) if faults.is_empty() => entries,
            _ => return text.to_owned(),
        }
    };
    let quoted = format!("\"{digest}\"");
    if let Some(entry) = entries.iter().find(|entry| entry.key == KEY) {
        let range = start + entry.node.range.start..start + entry.node.range.end;
        if range.is_empty() {
            // `translated_from:` without a value.
            let key = start + entry.key_range.end;
            let Some(colon) = text[key..].find(':') else {
                return text.to_owned();
            };
            let at = key + colon + 1;
            return format!("{} {quoted}{}", &text[..at], &text[at..]);
        }
        return format!("{}{quoted}{}", &text[..range.start], &text[range.end..]);
    }
    if fences.yaml {
        let at = fences.inner.end;
        return format!("{}{KEY}: {quoted}{end}{}", &text[..at], &text[at..]);
    }
    // After the last plain key before any table's header: keys after a header would be the table's.
    let plain = |value: &Value| match value {
        Value::Table(_) => false,
        Value::List(items) => !items
            .iter()
            .any(|item| matches!(item.value, Value::Table(_))),
        _ => true,
    };
    let last = entries
        .iter()
        .filter(|entry| plain(&entry.node.value))
        .map(|entry| entry.node.range.end)
        .max();
    let at = match last {
        Some(last) => {
            inner[last..]
                .find('\n')
                .map_or(inner.len(), |at| last + at + 1)
                + start
        }
        None => start,
    };
    format!("{}{KEY} = {quoted}{end}{}", &text[..at], &text[at..])
}
