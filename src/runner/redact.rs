//! Takes passwords and names of people and machines out of texts before they are stored.
//!
//! It goes by the forms in which secrets are written, and rather hides a word too much: what follows
//! `password=` is hidden up to the next blank. Texts without such forms are left as they are.

mod server;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use regex::{Captures, Regex};

pub use server::{is_telling, server};

/// What stands in place of a secret.
pub const HIDDEN: &str = "***";

/// Ends of the names that secrets go by, in any case: `PGPASSWORD`, `aws_secret_access_key`.
const NAMES: &str = "password|passwd|pwd|passphrase|secret|token|credentials?|\
                     api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|access[_-]?key[_-]?id";

/// A value: in quotes, also behind backslashes, with what is joined to them; or up to the next blank. A quote
/// that isn't closed holds until the end of its line.
const VALUE: &str = r#"(?:"(?:[^"\\\n]|\\[^\n])*(?:"{joined}|\\?$)|'(?:[^'\\\n]|\\[^\n])*(?:'{joined}|\\?$)|\\+"[^"\n]*(?:"|$)|\\+'[^'\n]*(?:'|$)|[^\s"'][^\s]*)"#;

/// What a shell joins to a text in quotes, but no other notation.
const JOINED: &str = r#"[^\s"'\\,;:)\]}>|&`]*"#;

/// A form in which secrets are written, and which of its groups hides what.
struct Form {
    expression: Regex,
    /// Whether a hit is one after all.
    is_secret: fn(&Captures<'_>) -> bool,
}

fn form(expression: &str, is_secret: fn(&Captures<'_>) -> bool) -> Form {
    let expression = expression
        .replace("{names}", NAMES)
        .replace("{value}", VALUE)
        .replace("{joined}", JOINED);
    let expression = Regex::new(&expression)
        .unwrap_or_else(|_| unreachable!("the expressions are fixed, and tests compile each"));
    Form {
        expression,
        is_secret,
    }
}

/// The forms. Each keeps its group `keep` and hides what follows it, up to the end of the hit or to its
/// group `rest`.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    vec![
        // scheme://user:secret@host; the last `@` counts, as people forget to write %40.
        form(
            r#"(?<keep>[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#:@"']*:)(?<secret>[^\s"']*)(?<rest>@)"#,
            |hit| !is_port(&hit["secret"]),
        ),
        // Authorization: Bearer secret
        form(
            r#"(?i)(?<keep>\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:(?:bearer|basic|digest|token)[ \t]+)?)(?<secret>[^\s"']+)"#,
            |_| true,
        ),
        form(
            r"(?<keep>\b(?:Bearer|bearer)[ \t]+)(?<secret>[A-Za-z0-9._~+/-]{16,}=*)",
            |_| true,
        ),
        // key=value, key: value, "key": "value", KEY := 'value'
        form(
            r#"(?im)(?<keep>[\w.-]*(?:{names})\d*\\*["']?[ \t]*(?:[:=]|:=|=>)[ \t]*)(?<secret>{value})"#,
            // MariaDB's `(using password: YES)` tells only whether there was one.
            |hit| !matches!(&hit["secret"], "YES)" | "NO)"),
        ),
        // --password value, --db-password value; -password value and its short forms (Firebird)
        form(
            r"(?im)(?<keep>(?:^|[\s;|&(`\x22'])--(?:[a-z0-9]+[_-])*(?:{names})[ \t]+)(?<secret>{value})",
            |hit| !hit["secret"].starts_with('-') && !hit["keep"].contains("--no-"),
        ),
        form(
            r"(?im)(?<keep>(?:^|[\s;|&(`\x22'])-(?:pas|pass|passw|passwo|passwor|password|passwd|pw|pwd)[ \t]+)(?<secret>{value})",
            |hit| !hit["secret"].starts_with('-'),
        ),
        // isql -p value, fbsvcmgr … password value
        form(
            r"(?im)(?<keep>\bisql(?:-fb)?\b[^\n;|]*?[ \t]-p[ \t]+)(?<secret>{value})",
            |_| true,
        ),
        form(
            r"(?im)(?<keep>\bfbsvcmgr\b[^\n;|]*?[ \t](?:\w*_)?(?:password|passwd)[ \t]+)(?<secret>{value})",
            |_| true,
        ),
        // -psecret after the name of a program that takes it so
        form(
            r"(?im)(?<keep>(?:^|[\s/\\;|&(`\x22'])(?:mysql\w*|mariadb[\w-]*|sshpass|7z[ar]?)(?:\.exe)?[\x22']?[ \t](?:[^\n;|]*?[ \t])?-p)(?<secret>{value})",
            |_| true,
        ),
        // -psecret anywhere, if it looks like no option
        form(
            r"(?m)(?<keep>(?:^|[\s;|&(`\x22'])-p)(?<secret>{value})",
            |hit| !is_option(&hit["secret"]),
        ),
        // SQL: PASSWORD 'secret', IDENTIFIED BY 'secret'
        form(
            r"(?im)(?<keep>\b(?:{names}|identified[ \t]+(?:with[ \t]+\S+[ \t]+)?(?:by|as))[ \t]+(?:by[ \t]+)?\(?)(?<secret>'(?:[^'\n]|'')*(?:'|$)|\x22[^\x22\n]*(?:\x22|$))",
            |_| true,
        ),
        // Keys that are known by their beginning.
        form(
            r"(?<keep>\b)(?<secret>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)\b",
            |_| true,
        ),
    ]
});

/// Whether what follows a host's name is a port with a path behind it, where an `@` is no one's password.
fn is_port(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    digits > 0 && text[digits..].starts_with(['/', '?', '#'])
}

/// Whether what follows `-p` makes a word of it, such as `-passive`, `-pix_fmt`, `-prefix=/usr`, or a port,
/// such as `-p5432`.
fn is_option(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    let is_word = name
        .chars()
        .all(|letter| letter.is_ascii_lowercase() || letter == '_' || letter == '-');
    let is_number = text
        .chars()
        .all(|letter| letter.is_ascii_digit() || letter == ':');
    is_word || is_number || text.starts_with(['/', '.'])
}

/// A text without the passwords, tokens and keys in it.
pub fn text(text: &str) -> String {
    let mut text = text.to_owned();
    for form in FORMS.iter() {
        if let Some(hidden) = form.hide(&text) {
            text = hidden;
        }
    }
    text
}

impl Form {
    /// The text without secrets in this form; nothing if it holds none.
    fn hide(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut copied = 0;
        let mut from = 0;
        while let Some(hit) = self.expression.captures_at(text, from) {
            let (Some(keep), Some(secret)) = (hit.name("keep"), hit.name("secret")) else {
                break;
            };
            if secret.as_str() != HIDDEN && (self.is_secret)(&hit) && !is_file(text, keep.range()) {
                out.push_str(&text[copied..secret.start()]);
                out.push_str(&masked(secret.as_str()));
                copied = secret.end();
                from = secret.end();
            } else {
                // What is no secret may hold one.
                from = secret.start();
            }
        }
        (copied > 0).then(|| out + &text[copied..])
    }
}

/// Whether it is the file that names users, which errors are told of: `/etc/passwd: permission denied`.
fn is_file(text: &str, keep: std::ops::Range<usize>) -> bool {
    text[..keep.start].ends_with("/etc/") && text[keep].starts_with("passwd:")
}

/// The mark in a secret's place; quotes around it stay, so that what held it can still be read.
fn masked(secret: &str) -> String {
    let slashes = secret.len() - secret.trim_start_matches('\\').len();
    let quote = secret
        .get(..=slashes)
        .filter(|quote| quote.ends_with(['"', '\'']));
    match quote {
        Some(quote) if secret.len() >= 2 * quote.len() && secret.ends_with(quote) => {
            format!("{quote}{HIDDEN}{quote}")
        }
        _ => HIDDEN.to_owned(),
    }
}

/// Names that no result file should hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The machine's host name; empty if it isn't known.
    pub host: String,
    /// The user's name; empty if it isn't known.
    pub user: String,
    /// The user's home folder; empty if it isn't known.
    pub home: String,
}

/// Names of users and hosts that tell of nobody, and are words of logs too.
const NOBODY: [&str; 24] = [
    "admin",
    "administrator",
    "benchbook",
    "build",
    "container",
    "debian",
    "docker",
    "ec2-user",
    "firebird",
    "host",
    "localhost",
    "mariadb",
    "mysql",
    "nobody",
    "postgres",
    "root",
    "runner",
    "server",
    "system",
    "sysdba",
    "ubuntu",
    "user",
    "vagrant",
    "worker",
];

/// A text with these names replaced by neutral words, where they stand as whole words: `~` for the home
/// folder, `host` and `user`.
pub fn names(text: &str, names: &Names) -> String {
    let mut text = text.to_owned();
    let home = names.home.trim_end_matches(['/', '\\']);
    // A home such as `/` or `/root` tells nothing of people.
    if home.len() > 1 && home != "/root" {
        text = replaced(&text, home, "~");
        // As it stands in JSON and in texts of programs.
        text = replaced(&text, &home.replace('\\', "\\\\"), "~");
    }
    let short = names.host.split('.').next().unwrap_or_default();
    for (name, word) in [
        (names.host.as_str(), "host"),
        (short, "host"),
        (&names.user, "user"),
    ] {
        text = hide(&text, name, word);
    }
    text
}

/// Replaces a name by a neutral word, if it tells of anybody.
fn hide(text: &str, name: &str, word: &str) -> String {
    // One or two letters are words of many things.
    let is_telling = name.chars().count() > 2 && name.parse::<f64>().is_err();
    if is_telling && !NOBODY.contains(&name.to_lowercase().as_str()) {
        replaced(text, name, word)
    } else {
        text.to_owned()
    }
}

/// Replaces a name where it is no part of a longer word, whatever the case of its letters.
fn replaced(text: &str, name: &str, word: &str) -> String {
    let Ok(expression) = Regex::new(&format!("(?i){}", regex::escape(name))) else {
        return text.to_owned();
    };
    let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
    let hidden = expression.replace_all(text, |hit: &Captures<'_>| {
        let Some(found) = hit.get(0) else {
            return String::new();
        };
        let before = text[..found.start()].chars().next_back();
        let after = text[found.end()..].chars().next();
        let is_whole = !before.is_some_and(joins) && !after.is_some_and(joins);
        if is_whole { word } else { found.as_str() }.to_owned()
    });
    hidden.into_owned()
}
