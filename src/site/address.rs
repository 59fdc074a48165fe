//! Addresses: where every file of the output stands, and the way from one to another.

use std::collections::BTreeMap;

use super::Page;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::text::Lang;
use crate::text::fold::file_name;

/// The address of a page in a language, as a path in the output.
pub fn of_page(page: &Page, lang: &Lang) -> String {
    let mut address = format!("{lang}/");
    if !page.key.is_empty() {
        if let Some((section, _)) = page.key.rsplit_once('/') {
            address.push_str(section);
            address.push('/');
        }
        address.push_str(&page.slug(lang));
        address.push('/');
    }
    address + "index.html"
}

/// The address of a page that the site makes by itself (`experiments`, `claims`, …).
pub fn of_generated(name: &str, lang: &Lang) -> String {
    format!("{lang}/{name}/index.html")
}

/// The address of an experiment's page.
pub fn of_experiment(key: &str, lang: &Lang) -> String {
    format!("{lang}/experiments/{key}/index.html")
}

/// The address of a file that stands beside pages below `content/`.
pub fn of_asset(path: &str) -> String {
    format!("assets/{}", path.strip_prefix("content/").unwrap_or(path))
}

/// The way from one address to another, as a relative link with every byte that a URL doesn't
/// allow escaped. Both are paths in the output.
pub fn relative(from: &str, to: &str) -> String {
    escape(&way(from, to))
}

/// The same way as a person would write it in a text, without escapes.
pub fn way(from: &str, to: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut common = 0;
    let ups = if folder.is_empty() {
        0
    } else {
        let from: Vec<&str> = folder.split('/').collect();
        let shared = from
            .iter()
            .zip(to.split('/'))
            .take_while(|(a, b)| *a == b)
            .count();
        // The last part of `to` is its file name, which is never shared.
        let shared = shared.min(to.matches('/').count());
        common = to.split('/').take(shared).map(|part| part.len() + 1).sum();
        from.len() - shared
    };
    let mut link = "../".repeat(ups);
    link.push_str(&to[common..]);
    link
}

/// The way from an address to the output's root: empty, or `../` once or more.
pub fn root(from: &str) -> String {
    "../".repeat(from.matches('/').count())
}

/// A path with every byte escaped that may not stand in a URL's path (RFC 3986), `/` kept.
pub fn escape(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    escape_into(path, &mut out);
    out
}

fn escape_into(path: &str, out: &mut String) {
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// Who stands at which address. Addresses that differ only in case or in the composing of accents
/// collide too, and so do a file and a folder: many file systems hold only one of them.
#[derive(Debug, Default)]
pub struct Book {
    taken: BTreeMap<String, Owner>,
    /// The folders of all addresses, each with the first that lies in it.
    folders: BTreeMap<String, Owner>,
}

/// What stands at an address.
#[derive(Debug, Clone)]
pub struct Owner {
    /// In words (`the list of experiments`).
    pub words: String,
    /// Where it is written, if anywhere.
    pub span: Option<Span>,
    /// Whether benchbook makes it by itself.
    made: bool,
}

impl Owner {
    /// Something that benchbook makes by itself.
    pub fn made(words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            span: None,
            made: true,
        }
    }

    /// Something that is written somewhere.
    pub fn written(words: impl Into<String>, span: Span) -> Self {
        Self {
            words: words.into(),
            span: Some(span),
            made: false,
        }
    }

    /// A file of the site, as it is.
    pub fn file(path: &str) -> Self {
        Self {
            words: format!("`{path}`"),
            span: None,
            made: false,
        }
    }
}

impl Book {
    /// Gives an address to an owner, or reports who has it already and returns `false`.
    pub fn take(&mut self, address: &str, owner: Owner, report: &mut Report) -> bool {
        let key = file_name(address);
        let parents = |key: &str| -> Vec<String> {
            let ends = key.match_indices('/').map(|(end, _)| end);
            ends.map(|end| key[..end].to_owned()).collect()
        };
        let parents = parents(&key);
        let earlier = self
            .taken
            .get(&key)
            .or_else(|| self.folders.get(&key))
            .or_else(|| parents.iter().find_map(|parent| self.taken.get(parent)));
        if let Some(earlier) = earlier {
            report.push(collision(earlier, &owner, address));
            return false;
        }
        for parent in parents {
            self.folders.entry(parent).or_insert_with(|| owner.clone());
        }
        self.taken.insert(key, owner);
        true
    }

    /// What stands at an address.
    pub fn owner(&self, address: &str) -> Option<&Owner> {
        self.taken.get(&file_name(address))
    }
}

fn collision(earlier: &Owner, owner: &Owner, address: &str) -> Diagnostic {
    let mut fault = Diagnostic::new(
        Code::UrlCollision,
        format!(
            "{} and {} would both be `{address}`",
            earlier.words, owner.words
        ),
    );
    for owner in [owner, earlier] {
        match &owner.span {
            Some(span) => fault = fault.at(span.clone(), ""),
            None if owner.made => {
                fault = fault.note(format!("{} is made by benchbook", owner.words));
            }
            None => {}
        }
    }
    if fault.labels.is_empty() {
        fault = fault.in_file(address);
    }
    fault.help("give one of them another name, or another `slug`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_addresses() {
        let cases = [
            ("index.html", "de/index.html", "de/index.html"),
            ("de/index.html", "index.html", "../index.html"),
            ("de/a/index.html", "de/b/index.html", "../b/index.html"),
            ("de/a/index.html", "de/a/index.html", "index.html"),
            (
                "de/a/index.html",
                "ru/a/index.html",
                "../../ru/a/index.html",
            ),
            ("de/a/index.html", "de/a/b/index.html", "b/index.html"),
            ("de/a/b/index.html", "de/a/index.html", "../index.html"),
            (
                "de/a/index.html",
                "static/style.css",
                "../../static/style.css",
            ),
            (
                "a/index.html",
                "данные 1.csv",
                "../%D0%B4%D0%B0%D0%BD%D0%BD%D1%8B%D0%B5%201.csv",
            ),
        ];
        for (from, to, link) in cases {
            assert_eq!(relative(from, to), link, "{from} -> {to}");
        }
    }

    #[test]
    fn an_address_belongs_to_one() {
        let mut book = Book::default();
        let mut report = Report::new();
        let owner = |words: &str| Owner::made(words);
        assert!(book.take("en/a/index.html", owner("one"), &mut report));
        assert!(!book.take("en/A/index.html", owner("two"), &mut report));
        // A folder can't be a file as well, whichever comes first.
        assert!(!book.take("en/a", owner("three"), &mut report));
        assert!(!book.take("en/a/index.html/b", owner("four"), &mut report));
        assert!(book.take("en/\u{e9}", owner("five"), &mut report));
        assert!(!book.take("en/e\u{301}", owner("six"), &mut report));
        assert!(book.owner("EN/A/INDEX.html").is_some());
        assert!(report.has_errors());
    }
}
