//! Takes what tells of a server that somebody else runs out of texts: its password, host, user and database.

use std::sync::LazyLock;

use regex::Regex;

use super::{HIDDEN, hide, replaced};
use crate::runner::engine::Server;

/// Hosts that are the machine itself.
const HERE: [&str; 4] = ["localhost", "127.0.0.1", "::1", "0.0.0.0"];

/// Settings by which servers tell of their machine and of their users.
const TELLING: [&str; 14] = [
    "cluster_name",
    "hostname",
    "ident_file",
    "listen_addresses",
    "primary_conninfo",
    "report_host",
    "report_password",
    "report_user",
    "server_uid",
    "server_uuid",
    "wsrep_cluster_address",
    "wsrep_cluster_name",
    "wsrep_node_address",
    "wsrep_node_name",
];

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b")
});

/// `'user'@'host'`, as MariaDB and MySQL say whom they don't let in.
static ACCOUNT: LazyLock<Regex> = LazyLock::new(|| expression(r"'[^'\n]*'@'[^'\n]*'"));

fn expression(text: &str) -> Regex {
    Regex::new(text)
        .unwrap_or_else(|_| unreachable!("the expressions are fixed, and tests compile each"))
}

/// Whether a setting of such a server is better not kept.
pub fn is_telling(setting: &str) -> bool {
    TELLING.contains(&setting.to_lowercase().as_str())
}

/// A text in which neutral words stand for what tells of a server.
pub fn server(text: &str, server: &Server) -> String {
    let mut text = text.to_owned();
    if let Some(password) = &server.password {
        text = secret(&text, password.reveal());
    }
    text = ACCOUNT.replace_all(&text, "'user'@'host'").into_owned();
    if !HERE.contains(&&*server.host) {
        text = name(&text, &server.host, "host");
        let short = server.host.split('.').next().unwrap_or_default();
        text = name(&text, short, "host");
    }
    for (named, word) in [(&server.user, "user"), (&server.database, "database")] {
        if let Some(named) = named {
            text = name(&text, named.trim_end_matches('/'), word);
        }
    }
    let mut hidden = String::with_capacity(text.len());
    let mut copied = 0;
    for hit in ADDRESS.find_iter(&text) {
        // A longer row of numbers with points is a version.
        let around = [
            text[..hit.start()].chars().next_back(),
            text[hit.end()..].chars().next(),
        ];
        let mut rest = text[hit.end()..].chars();
        let is_longer = around[0] == Some('.')
            || (rest.next() == Some('.') && rest.next().is_some_and(|it| it.is_ascii_digit()));
        if !is_longer && !hit.as_str().starts_with("127.") && hit.as_str() != "0.0.0.0" {
            hidden.push_str(&text[copied..hit.start()]);
            hidden.push_str("host");
            copied = hit.end();
        }
    }
    hidden + &text[copied..]
}

/// Hides a secret wherever it stands, also as a program would write it in quotes.
fn secret(text: &str, secret: &str) -> String {
    // One or two letters are part of most words.
    if secret.chars().count() < 3 {
        return match secret.is_empty() {
            true => text.to_owned(),
            false => replaced(text, secret, HIDDEN),
        };
    }
    let escaped = secret.escape_debug().to_string();
    text.replace(secret, HIDDEN).replace(&escaped, HIDDEN)
}

/// Replaces a name where it stands as a whole word; a short one only in quotes.
fn name(text: &str, name: &str, word: &str) -> String {
    if !(1..=2).contains(&name.chars().count()) {
        return hide(text, name, word);
    }
    let quoted = ["'", "\"", "`"].into_iter();
    quoted.fold(text.to_owned(), |text, quote| {
        text.replace(
            &format!("{quote}{name}{quote}"),
            &format!("{quote}{word}{quote}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(address: &str, text: &str) -> String {
        server(text, &Server::parse(address).expect("an address"))
    }

    #[test]
    fn nothing_of_a_server_is_left() {
        let address = "mysql://payer:s3cr%22t@db7.example.com:3307/payroll";
        for (text, kept) in [
            ("connect to db7.example.com:3307", "connect to host:3307"),
            ("on DB7, as Payer", "on host, as user"),
            ("role \"payer\" of payroll.t", "role \"user\" of database.t"),
            ("repayer, payrolls", "repayer, payrolls"),
            (
                "Access denied for user 'x'@'172.17.0.1' (using password)",
                "Access denied for user 'user'@'host' (using password)",
            ),
            (
                "10.0.0.5:3307 refused; fe 127.0.0.1 0.0.0.0",
                "host:3307 refused; fe 127.0.0.1 0.0.0.0",
            ),
            ("it is 10.0.0.5.", "it is host."),
            (
                "version 3.0.11.33703, 1.2.3.4.5",
                "version 3.0.11.33703, 1.2.3.4.5",
            ),
            ("xs3cr\"ty", "x***y"),
            (r#"{ pass: "s3cr\"t" }"#, r#"{ pass: "***" }"#),
        ] {
            assert_eq!(hidden(address, text), kept);
        }
    }

    #[test]
    fn words_of_many_things_stay() {
        let text = "user `root` on localhost of db x in /tmp/files, pw";
        let kept = "user `root` on localhost of db x in database/files, ***";
        assert_eq!(hidden("firebird://root:pw@localhost//tmp", text), kept);
        assert_eq!(
            hidden("mysql://u@h", "u and h, 'u' and \"h\""),
            "u and h, 'user' and \"host\""
        );
        assert_eq!(
            hidden("postgres://postgres@127.0.0.1/postgres", "postgres 15"),
            "postgres 15"
        );
        assert!(is_telling("HostName") && !is_telling("hostnames"));
    }
}
