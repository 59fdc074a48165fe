//! Colours for code: class names around the words of a few small languages.
//!
//! Small lexers of our own instead of a grammar library: a handful of languages, class names
//! instead of colours, linear time, and no dependency that would outweigh the rest of the build.

use super::target::escape;

/// How a language's words are told apart.
struct Syntax {
    keywords: &'static [&'static str],
    /// Whether keywords may be written in capitals.
    any_case: bool,
    /// What begins a comment up to the line's end.
    comments: &'static [&'static str],
    /// What begins and ends a comment over lines.
    block_comment: Option<(&'static str, &'static str)>,
    /// Signs that begin and end a text.
    quotes: &'static [char],
    /// Whether a backslash takes the next sign's meaning.
    escapes: bool,
    /// Whether texts may go on over lines.
    long_texts: bool,
    /// Whether a comment needs a blank before it (`#` in shell words).
    spaced_comments: bool,
}

const PLAIN: Syntax = Syntax {
    keywords: &[],
    any_case: false,
    comments: &[],
    block_comment: None,
    quotes: &['"'],
    escapes: true,
    long_texts: false,
    spaced_comments: false,
};

const SQL: Syntax = Syntax {
    keywords: &[
        "active",
        "add",
        "after",
        "all",
        "alter",
        "analyze",
        "and",
        "any",
        "as",
        "asc",
        "before",
        "begin",
        "between",
        "bigint",
        "blob",
        "by",
        "case",
        "cast",
        "char",
        "check",
        "checkpoint",
        "column",
        "commit",
        "constraint",
        "create",
        "cross",
        "current_date",
        "current_timestamp",
        "database",
        "date",
        "declare",
        "default",
        "delete",
        "desc",
        "distinct",
        "do",
        "domain",
        "double",
        "drop",
        "else",
        "end",
        "except",
        "execute",
        "exists",
        "explain",
        "false",
        "fetch",
        "first",
        "float",
        "for",
        "foreign",
        "from",
        "full",
        "function",
        "grant",
        "group",
        "having",
        "if",
        "in",
        "inactive",
        "index",
        "inner",
        "insert",
        "integer",
        "int",
        "into",
        "is",
        "join",
        "key",
        "left",
        "like",
        "limit",
        "matching",
        "merge",
        "natural",
        "not",
        "null",
        "numeric",
        "offset",
        "on",
        "only",
        "or",
        "order",
        "outer",
        "over",
        "partition",
        "plan",
        "pragma",
        "primary",
        "procedure",
        "references",
        "reset",
        "returning",
        "returns",
        "revoke",
        "right",
        "rollback",
        "rows",
        "row",
        "select",
        "set",
        "show",
        "skip",
        "smallint",
        "start",
        "suspend",
        "system",
        "table",
        "temporary",
        "text",
        "then",
        "time",
        "timestamp",
        "to",
        "transaction",
        "trigger",
        "true",
        "union",
        "unique",
        "update",
        "using",
        "vacuum",
        "values",
        "varchar",
        "view",
        "when",
        "where",
        "while",
        "with",
    ],
    any_case: true,
    comments: &["--"],
    block_comment: Some(("/*", "*/")),
    quotes: &['\'', '"'],
    escapes: false,
    long_texts: true,
    ..PLAIN
};

const SHELL: Syntax = Syntax {
    keywords: &[
        "case", "do", "done", "elif", "else", "esac", "export", "fi", "for", "function", "if",
        "in", "local", "return", "set", "sudo", "then", "until", "while",
    ],
    comments: &["#"],
    quotes: &['"', '\''],
    long_texts: true,
    spaced_comments: true,
    ..PLAIN
};

const RUST: Syntax = Syntax {
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum",
        "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move",
        "mut", "pub", "ref", "return", "self", "Self", "static", "struct", "super", "trait",
        "true", "type", "unsafe", "use", "where", "while",
    ],
    comments: &["//"],
    block_comment: Some(("/*", "*/")),
    long_texts: true,
    ..PLAIN
};

const JSON: Syntax = Syntax {
    keywords: &["false", "null", "true"],
    ..PLAIN
};

const VALUES: Syntax = Syntax {
    keywords: &["false", "no", "off", "on", "true", "yes"],
    any_case: true,
    comments: &["#", ";"],
    quotes: &['"', '\''],
    spaced_comments: true,
    ..PLAIN
};

const LOG: Syntax = Syntax {
    keywords: &[
        "crit",
        "critical",
        "debug",
        "detail",
        "err",
        "error",
        "fatal",
        "hint",
        "info",
        "log",
        "notice",
        "panic",
        "statement",
        "trace",
        "warn",
        "warning",
    ],
    any_case: true,
    ..PLAIN
};

/// Words that name a language without colours here, so that they are no misspelled blocks.
const OTHERS: &[&str] = &[
    "asm",
    "awk",
    "bat",
    "batch",
    "c",
    "cmake",
    "cmd",
    "cpp",
    "cs",
    "csharp",
    "css",
    "csv",
    "dart",
    "dockerfile",
    "dot",
    "elixir",
    "erlang",
    "fortran",
    "go",
    "graphql",
    "groovy",
    "haskell",
    "hcl",
    "html",
    "http",
    "java",
    "javascript",
    "js",
    "jsx",
    "julia",
    "kotlin",
    "latex",
    "lisp",
    "lua",
    "make",
    "makefile",
    "math",
    "matlab",
    "mermaid",
    "nginx",
    "nim",
    "nix",
    "objc",
    "ocaml",
    "pascal",
    "perl",
    "php",
    "plain",
    "plaintext",
    "powershell",
    "prolog",
    "ps1",
    "py",
    "python",
    "r",
    "rb",
    "ruby",
    "scala",
    "scheme",
    "scss",
    "svg",
    "swift",
    "tcl",
    "tera",
    "tex",
    "text",
    "ts",
    "tsv",
    "tsx",
    "txt",
    "typescript",
    "vb",
    "vim",
    "wasm",
    "xml",
    "yaml",
    "yml",
    "zig",
];

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
