//! The words and signs of the languages that are coloured.

/// How a language's words are told apart.
pub(super) struct Syntax {
    /// Reserved words.
    pub(super) keywords: &'static [&'static str],
    /// Whether keywords may be written in capitals.
    pub(super) any_case: bool,
    /// What begins a comment up to the line's end.
    pub(super) comments: &'static [&'static str],
    /// What begins and ends a comment over lines.
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// Signs that begin and end a text.
    pub(super) quotes: &'static [char],
    /// Whether a backslash takes the next sign's meaning.
    pub(super) escapes: bool,
    /// Whether texts may go on over lines.
    pub(super) long_texts: bool,
    /// Whether a comment needs a blank before it (`#` in shell words).
    pub(super) spaced_comments: bool,
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

#[rustfmt::skip]
pub(super) const SQL: Syntax = Syntax {
    keywords: &[
        "active", "add", "after", "all", "alter", "analyze", "and", "any", "as", "asc", "before",
        "begin", "between", "bigint", "blob", "by", "case", "cast", "char", "check",
        "checkpoint", "column", "commit", "constraint", "create", "cross", "current_date",
        "current_timestamp", "database", "date", "declare", "default", "delete", "desc",
        "distinct", "do", "domain", "double", "drop", "else", "end", "except", "execute",
        "exists", "explain", "false", "fetch", "first", "float", "for", "foreign", "from",
        "full", "function", "grant", "group", "having", "if", "in", "inactive", "index", "inner",
        "insert", "integer", "int", "into", "is", "join", "key", "left", "like", "limit",
        "matching", "merge", "natural", "not", "null", "numeric", "offset", "on", "only", "or",
        "order", "outer", "over", "partition", "plan", "pragma", "primary", "procedure",
        "references", "reset", "returning", "returns", "revoke", "right", "rollback", "rows",
        "row", "select", "set", "show", "skip", "smallint", "start", "suspend", "system",
        "table", "temporary", "text", "then", "time", "timestamp", "to", "transaction",
        "trigger", "true", "union", "unique", "update", "using", "vacuum", "values", "varchar",
        "view", "when", "where", "while", "with",
    ],
    any_case: true,
    comments: &["--"],
    block_comment: Some(("/*", "*/")),
    quotes: &['\'', '"'],
    escapes: false,
    long_texts: true,
    ..PLAIN
};

#[rustfmt::skip]
pub(super) const SHELL: Syntax = Syntax {
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

#[rustfmt::skip]
pub(super) const RUST: Syntax = Syntax {
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum",
        "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod",
        "move", "mut", "pub", "ref", "return", "self", "Self", "static", "struct", "super",
        "trait", "true", "type", "unsafe", "use", "where", "while",
    ],
    comments: &["//"],
    block_comment: Some(("/*", "*/")),
    long_texts: true,
    ..PLAIN
};

pub(super) const JSON: Syntax = Syntax {
    keywords: &["false", "null", "true"],
    ..PLAIN
};

pub(super) const VALUES: Syntax = Syntax {
    keywords: &["false", "no", "off", "on", "true", "yes"],
    any_case: true,
    comments: &["#", ";"],
    quotes: &['"', '\''],
    spaced_comments: true,
    ..PLAIN
};

#[rustfmt::skip]
pub(super) const LOG: Syntax = Syntax {
    keywords: &[
        "crit", "critical", "debug", "detail", "err", "error", "fatal", "hint", "info", "log",
        "notice", "panic", "statement", "trace", "warn", "warning",
    ],
    any_case: true,
    ..PLAIN
};

/// Words that name a language without colours here, so that they are no misspelled blocks.
#[rustfmt::skip]
pub(super) const OTHERS: &[&str] = &[
    "asm", "awk", "bat", "batch", "c", "cmake", "cmd", "cpp", "cs", "csharp", "css", "csv",
    "dart", "dockerfile", "dot", "elixir", "erlang", "fortran", "go", "graphql", "groovy",
    "haskell", "hcl", "html", "http", "java", "javascript", "js", "jsx", "julia", "kotlin",
    "latex", "lisp", "lua", "make", "makefile", "math", "matlab", "mermaid", "nginx", "nim",
    "nix", "objc", "ocaml", "pascal", "perl", "php", "plain", "plaintext", "powershell",
    "prolog", "ps1", "py", "python", "r", "rb", "ruby", "scala", "scheme", "scss", "svg",
    "swift", "tcl", "tera", "tex", "text", "ts", "tsv", "tsx", "txt", "typescript", "vb", "vim",
    "wasm", "xml", "yaml", "yml", "zig",
];
