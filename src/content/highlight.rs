//! Colours for code: class names around the words of a few small languages.
//!
//! Small lexers of our own instead of a grammar library: a handful of languages, class names
//! instead of colours, linear time, and no dependency that would outweigh the rest of the build.

use super::syntax::{JSON, LOG, OTHERS, RUST, SHELL, SQL, Syntax, VALUES};
use super::target::escape;

/// What a language is coloured by.
enum Way {
    Words(&'static Syntax),
    Lines(fn(&str, &mut String)),
}

fn way(language: &str) -> Option<Way> {
    Some(match language.to_ascii_lowercase().as_str() {
        "sql" | "psql" | "plpgsql" | "mysql" | "sqlite" | "firebird" => Way::Words(&SQL),
        "sh" | "bash" | "zsh" | "shell" => Way::Words(&SHELL),
        "console" | "terminal" | "shell-session" => Way::Lines(console),
        "ini" | "conf" | "cfg" | "config" | "toml" | "properties" => Way::Lines(setting),
        "json" | "jsonl" | "json5" | "jsonc" => Way::Words(&JSON),
        "diff" | "patch" => Way::Lines(diff),
        "markdown" | "md" => Way::Lines(markdown),
        "rust" | "rs" => Way::Words(&RUST),
        "log" => Way::Words(&LOG),
        _ => return None,
    })
}

/// Whether a word names a language of code, coloured here or not.
pub fn is_language(word: &str) -> bool {
    way(word).is_some() || OTHERS.contains(&word.to_ascii_lowercase().as_str())
}

/// Code as HTML with `<span class="…">` around keywords (`k`), strings (`s`), numbers (`n`),
/// comments (`c`), names of functions and keys (`f`), operators (`o`), and added and removed lines
/// (`add`, `del`); a language that isn't known gives escaped text.
pub fn highlight(code: &str, language: &str) -> String {
    let mut out = String::with_capacity(code.len() * 2);
    match way(language) {
        None => escape(code, &mut out),
        Some(Way::Words(syntax)) => words(code, syntax, &mut out),
        Some(Way::Lines(paint)) => {
            for line in code.split_inclusive('\n') {
                let text = line.trim_end_matches(['\n', '\r']);
                paint(text, &mut out);
                escape(&line[text.len()..], &mut out);
            }
        }
    }
    out
}

fn span(class: &str, text: &str, out: &mut String) {
    if text.is_empty() {
        return;
    }
    out.push_str("<span class=\"");
    out.push_str(class);
    out.push_str("\">");
    escape(text, out);
    out.push_str("</span>");
}

/// Colours words, texts, numbers, comments and operators.
fn words(code: &str, syntax: &Syntax, out: &mut String) {
    let mut rest = code;
    let mut after_blank = true;
    while let Some(first) = rest.chars().next() {
        let (class, length) = token(rest, first, after_blank, syntax);
        let (text, next) = rest.split_at(length);
        match class {
            "" => escape(text, out),
            class => span(class, text, out),
        }
        after_blank = text.ends_with(char::is_whitespace);
        rest = next;
    }
}

/// The class and length of the token that begins with `first`.
fn token(text: &str, first: char, after_blank: bool, syntax: &Syntax) -> (&'static str, usize) {
    let comment = syntax.comments.iter().any(|begin| text.starts_with(begin));
    if comment && (after_blank || !syntax.spaced_comments) {
        return ("c", text.find('\n').unwrap_or(text.len()));
    }
    if let Some((begin, end)) = syntax.block_comment
        && let Some(inner) = text.strip_prefix(begin)
    {
        return (
            "c",
            inner
                .find(end)
                .map_or(text.len(), |at| begin.len() + at + end.len()),
        );
    }
    if syntax.quotes.contains(&first) {
        return ("s", quoted(text, first, syntax));
    }
    if first.is_ascii_digit() {
        let end = |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '.' | '_');
        let length = text.find(end).unwrap_or(text.len());
        return ("n", text[..length].trim_end_matches('.').len());
    }
    if first.is_alphabetic() || first == '_' {
        let end = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$');
        let length = text.find(end).unwrap_or(text.len());
        let word = &text[..length];
        let known = if syntax.any_case && word.is_ascii() {
            syntax
                .keywords
                .iter()
                .any(|keyword| keyword.eq_ignore_ascii_case(word))
        } else {
            syntax.keywords.contains(&word)
        };
        let class = match known {
            true => "k",
            false if text[length..].starts_with('(') => "f",
            false => "",
        };
        return (class, length);
    }
    if "+-*/%=<>!&|^~".contains(first) {
        return ("o", first.len_utf8());
    }
    ("", first.len_utf8())
}

/// Length of a text with its quotes; one that isn't closed ends with its line or with the code.
fn quoted(text: &str, quote: char, syntax: &Syntax) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            return at + 1;
        }
        if letter == '\n' && !syntax.long_texts {
            return at;
        }
        if letter == '\\' && syntax.escapes {
            letters.next();
        }
    }
    text.len()
}

/// A line with a prompt is a command, any other its output.
fn console(line: &str, out: &mut String) {
    let prompt = [
        "$ ",
        "# ",
        "> ",
        "SQL> ",
        "postgres=# ",
        "mysql> ",
        "sqlite> ",
    ]
    .into_iter()
    .find(|prompt| line.starts_with(prompt));
    match prompt {
        Some(prompt) => {
            span("o", prompt.trim_end(), out);
            out.push(' ');
            let command = &line[prompt.len()..];
            words(command, if prompt.len() > 2 { &SQL } else { &SHELL }, out);
        }
        None => escape(line, out),
    }
}

/// `[section]`, `key = value`, `# comment`.
fn setting(line: &str, out: &mut String) {
    let trimmed = line.trim_start();
    if trimmed.starts_with(['#', ';']) {
        return span("c", line, out);
    }
    if trimmed.starts_with('[') {
        return span("k", line, out);
    }
    let bare = |key: &str| !key.contains(['"', '\'', '[', '{', ',']);
    match line.find(['=', ':']) {
        Some(at) if bare(&line[..at]) => {
            span("f", &line[..at], out);
            span("o", &line[at..=at], out);
            words(&line[at + 1..], &VALUES, out);
        }
        _ => words(line, &VALUES, out),
    }
}

fn diff(line: &str, out: &mut String) {
    let class = match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'@', b'@', ..] => "k",
        [b'+', ..] => "add",
        [b'-', ..] => "del",
        _ => return escape(line, out),
    };
    span(class, line, out);
}

/// Headings, fences, front matter lines, and values and claims in braces.
fn markdown(line: &str, out: &mut String) {
    if line.starts_with('#') {
        return span("k", line, out);
    }
    if line.trim_start().starts_with("```") || matches!(line, "+++" | "---") {
        return span("o", line, out);
    }
    if line.starts_with('>') {
        return span("c", line, out);
    }
    let mut rest = line;
    while let Some(start) = rest.find('{') {
        let close = match rest.as_bytes().get(start + 1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            _ => {
                escape(&rest[..=start], out);
                rest = &rest[start + 1..];
                continue;
            }
        };
        let Some(end) = rest[start..].find(close) else {
            break;
        };
        escape(&rest[..start], out);
        let (inner, next) = rest[start..].split_at(end + 2);
        span("f", inner, out);
        rest = next;
    }
    escape(rest, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_words_are_coloured() {
        assert_eq!(
            highlight("SELECT count(*) FROM t -- all\nWHERE a<'x''y'", "sql"),
            "<span class=\"k\">SELECT</span> <span class=\"f\">count</span>(<span class=\"o\">*</span>) \
             <span class=\"k\">FROM</span> t <span class=\"c\">-- all</span>\n\
             <span class=\"k\">WHERE</span> a<span class=\"o\">&lt;</span><span class=\"s\">'x'</span><span class=\"s\">'y'</span>"
        );
    }

    #[test]
    fn settings_and_consoles_are_coloured_by_line() {
        assert_eq!(
            highlight("# note\nLockHashSlots = 30011\n", "conf"),
            "<span class=\"c\"># note</span>\n<span class=\"f\">LockHashSlots </span>\
             <span class=\"o\">=</span> <span class=\"n\">30011</span>\n"
        );
        assert_eq!(
            highlight("$ ls 'a'\r\nout <b>\r\n", "console"),
            "<span class=\"o\">$</span> ls <span class=\"s\">'a'</span>\r\nout &lt;b&gt;\r\n"
        );
        assert_eq!(
            highlight("+a\n-b\n c", "diff"),
            "<span class=\"add\">+a</span>\n<span class=\"del\">-b</span>\n c"
        );
    }

    #[test]
    fn what_is_not_known_is_escaped() {
        assert_eq!(highlight("<script>&", "zig"), "&lt;script&gt;&amp;");
        assert!(is_language("text") && is_language("SQL") && !is_language("tabel"));
    }

    proptest::proptest! {
        #[test]
        fn only_spans_are_added(code in ".*(\n.*){0,4}", language in "sql|sh|console|toml|json|diff|md|rust|log|zig") {
            let html = highlight(&code, &language);
            let mut plain = String::new();
            let mut rest = html.as_str();
            while let Some(at) = rest.find('<') {
                plain.push_str(&rest[..at]);
                let end = rest[at..].find('>').expect("a tag ends") + at;
                proptest::prop_assert!(rest[at..=end].starts_with("<span class=") || &rest[at..=end] == "</span>");
                rest = &rest[end + 1..];
            }
            plain.push_str(rest);
            let mut expected = String::new();
            escape(&code, &mut expected);
            proptest::prop_assert_eq!(plain, expected);
        }
    }
}
