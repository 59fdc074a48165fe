//! What the links in texts lead to.

use super::Site;

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A page of the site by key, with an anchor if given.
    Page {
        /// Its key.
        key: String,
        /// The anchor.
        anchor: Option<String>,
    },
    /// An experiment's page, with an anchor if given.
    Experiment {
        /// The experiment's key.
        key: String,
        /// The anchor.
        anchor: Option<String>,
    },
    /// A page that the site makes by itself.
    Generated {
        /// Its name.
        name: String,
        /// The anchor.
        anchor: Option<String>,
    },
    /// A place on the same page.
    Anchor(String),
    /// A file below `content/` or `static/`, by its path from the site's root.
    File(String),
    /// Nothing that exists; with what was looked for, as a path from the site's root.
    Dead(String),
}

/// Finds what a link in the text at `from` (a path from the site's root) leads to. `is_file` says
/// whether a path from the root is a file that is copied into the site.
pub fn resolve(site: &Site, from: &str, target: &str, is_file: impl Fn(&str) -> bool) -> Target {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (
            path,
            Some(decode(anchor)).filter(|anchor| !anchor.is_empty()),
        ),
        None => (target, None),
    };
    if path.is_empty() {
        return anchor.map_or_else(|| Target::Dead(target.to_owned()), Target::Anchor);
    }
    if let Some(key) = path.strip_prefix("experiment:") {
        return Target::Experiment {
            key: key.to_owned(),
            anchor,
        };
    }
    if let Some(name) = path.strip_prefix("site:") {
        return Target::Generated {
            name: name.to_owned(),
            anchor,
        };
    }
    let path = decode(path.split_once('?').map_or(path, |(path, _)| path));
    let Some(full) = join(from, &path) else {
        return Target::Dead(path);
    };
    if let Some(key) = page_key(&full) {
        return match site.page(&key) {
            Some(page) if !page.documents.is_empty() || page.key == key => {
                Target::Page { key, anchor }
            }
            _ => Target::Dead(full),
        };
    }
    let trimmed = full.trim_end_matches('/');
    if let Some(key) = trimmed
        .strip_prefix("content/")
        .or((trimmed == "content").then_some(""))
        && site.page(key).is_some()
        && !is_file(trimmed)
    {
        return Target::Page {
            key: key.to_owned(),
            anchor,
        };
    }
    if is_file(&full) {
        Target::File(full)
    } else {
        Target::Dead(full)
    }
}

/// The key of the page that a Markdown file's path names, without regard to language.
fn page_key(path: &str) -> Option<String> {
    let stem = path.strip_prefix("content/")?.strip_suffix(".md")?;
    let (folder, file) = stem.rsplit_once('/').unwrap_or(("", stem));
    Some(match file {
        "index" | "_index" => folder.to_owned(),
        _ => stem.to_owned(),
    })
}

/// A relative path seen from a file; `/x` is seen from `content/`, `/static/x` from the root.
/// `None` when it leaves the site.
pub fn join(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if let Some(path) = path.strip_prefix('/') {
        if !path.starts_with("static/") {
            parts.push("content");
        }
    } else {
        parts.extend(
            from.rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .split('/'),
        );
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(
        parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/"),
    )
}

/// `%20` and the like as the characters they stand for; a broken escape stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_and_never_leave_the_site() {
        let from = "content/articles/a/index.md";
        assert_eq!(
            join(from, "../b/index.md").as_deref(),
            Some("content/articles/b/index.md")
        );
        assert_eq!(
            join(from, "/glossary.md").as_deref(),
            Some("content/glossary.md")
        );
        assert_eq!(join(from, "/static/x.png").as_deref(), Some("static/x.png"));
        assert_eq!(join(from, "../../../../etc/passwd"), None);
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(decode("a%20b%C3%A9"), "a bé");
        assert_eq!(decode("100%"), "100%");
        assert_eq!(decode("%zz%ff"), "%zz%ff");
    }
}
