//! Raw HTML in Markdown: shown as text, or reduced to what is safe.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use pulldown_cmark::{Event, TagEnd};

use super::markdown::RawHtml;
use super::writer::{Placed, Writer};

/// Inline elements that may be written as raw tags without attributes.
const INLINE: &[&str] = &[
    "b", "i", "em", "strong", "sub", "sup", "kbd", "mark", "abbr", "small", "s", "u",
];

/// Elements kept in blocks of raw HTML: words and tables. No images and media (they would have to
/// be resolved per language), no headings (they need anchors), no classes, ids or styles.
#[rustfmt::skip]
const BLOCK: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col",
    "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure",
    "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small", "span",
    "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time",
    "tr", "u", "ul", "var", "wbr",
];

static CLEANER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let attributes: [(&str, &[&str]); 6] = [
        ("a", &["href", "hreflang"]),
        ("bdo", &["dir"]),
        ("ol", &["start"]),
        ("td", &["colspan", "rowspan"]),
        ("th", &["colspan", "rowspan", "scope"]),
        ("time", &["datetime"]),
    ];
    let attributes: HashMap<&str, HashSet<&str>> = attributes
        .into_iter()
        .map(|(tag, names)| (tag, names.iter().copied().collect()))
        .collect();
    let mut cleaner = ammonia::Builder::default();
    cleaner
        .tags(BLOCK.iter().copied().collect())
        .tag_attributes(attributes)
        .generic_attributes(["lang", "title"].into_iter().collect())
        .url_schemes(["http", "https", "mailto", "tel"].into_iter().collect())
        // Relative links would escape the site's own checks and not fit its addresses.
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener"));
    cleaner
});

impl Writer<'_, '_> {
    /// A block of raw HTML; gives the index of the event after it.
    pub(super) fn html_block(&mut self, events: &[Placed<'_>], at: usize) -> usize {
        self.boundary();
        let mut html = String::new();
        let mut next = at + 1;
        while let Some((event, _)) = events.get(next) {
            next += 1;
            match event {
                Event::Html(text) | Event::Text(text) => html.push_str(&self.unmarked(text)),
                Event::End(TagEnd::HtmlBlock) => break,
                _ => {}
            }
        }
        let html = without_comments(&html);
        if html.trim().is_empty() {
            return next;
        }
        if self.raw_html == RawHtml::Sanitize && !self.inline_only {
            let clean = CLEANER.clean(html.trim()).to_string();
            self.block(&clean);
            if self.out.mid_line() {
                self.out.html("\n");
            }
        } else {
            self.block("<p>");
            self.plain(html.trim());
            if !self.inline_only {
                self.out.html("</p>\n");
            }
        }
        self.space();
        next
    }

    /// A raw inline tag or comment.
    pub(super) fn inline_html(&mut self, html: &str) {
        let html = self.unmarked(html);
        if html.starts_with("<!--") {
            return;
        }
        if self.raw_html == RawHtml::Sanitize && self.inline_element(&html) {
            return;
        }
        self.plain(&html);
    }

    /// Writes a tag of the list; `false` when it isn't one, or closes what isn't open.
    fn inline_element(&mut self, html: &str) -> bool {
        let Some(inner) = html
            .strip_prefix('<')
            .and_then(|html| html.strip_suffix('>'))
        else {
            return false;
        };
        let inner = inner.to_ascii_lowercase();
        if matches!(inner.trim_end_matches([' ', '/']), "br") && !inner.starts_with('/') {
            self.inline_tag("<br>");
            return true;
        }
        let (name, closes) = match inner.strip_prefix('/') {
            Some(name) => (name.trim_end(), true),
            None => (inner.trim_end(), false),
        };
        let Some(name) = INLINE.iter().copied().find(|known| *known == name) else {
            return false;
        };
        if self.in_image() {
            return true;
        }
        if !closes {
            self.open_raw(name);
            self.inline_tag(&format!("<{name}>"));
            return true;
        }
        if self.stack.last().and_then(|open| open.raw) != Some(name) {
            return false;
        }
        if let Some(open) = self.stack.pop() {
            self.claim_container_ends(open.id);
        }
        self.inline_tag(&format!("</{name}>"));
        true
    }
}

/// HTML without comments: an author's notes are for no reader.
fn without_comments(html: &str) -> Cow<'_, str> {
    if !html.contains("<!--") {
        return Cow::Borrowed(html);
    }
    let mut out = String::new();
    let mut rest = html;
    while let Some(start) = rest.find("<!--") {
        out.push_str(&rest[..start]);
        rest = rest[start..]
            .find("-->")
            .map_or("", |end| &rest[start + end + 3..]);
    }
    out.push_str(rest);
    Cow::Owned(out)
}
