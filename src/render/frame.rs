//! The frame around a figure: number, caption, and the tabs with its table, data and method.

use crate::figure::Figure;
use crate::figure::markup::escape;
use crate::site::address;
use crate::text::{Argument, Language};

/// What a frame says of its figure.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    /// Anchor, unique on the page.
    pub id: &'a str,
    /// Number on the page, from one.
    pub number: usize,
    /// Caption as HTML (may be empty).
    pub caption: &'a str,
    /// Address of the page it stands on.
    pub address: &'a str,
    /// Key of the experiment it shows.
    pub experiment: &'a str,
}

/// A framed figure and the files it offers for download.
#[derive(Debug, Default)]
pub(super) struct Framed {
    /// The markup.
    pub html: String,
    /// Files by address.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Frames a figure.
pub(super) fn frame(figure: &Figure, frame: &Frame<'_>, language: &Language) -> Framed {
    let mut framed = Framed::default();
    let html = &mut framed.html;
    open(html, frame, language, &figure.body);
    if let Some(table) = &figure.table {
        tab(html, frame, "table", language, table);
    }
    // Equal data have equal names, so a table and a chart of the same cases, in every language,
    // share their files.
    let folder = format!("data/{}/figures", frame.experiment);
    let mut items = String::new();
    for (ending, content) in [("csv", &figure.csv), ("json", &figure.json)] {
        if content.is_empty() {
            continue;
        }
        let digest = blake3::hash(content.as_bytes()).to_hex();
        let file = format!("{folder}/{}.{ending}", &digest[..12]);
        let link = address::relative(frame.address, &file);
        let name = ending.to_uppercase();
        items.push_str(&format!(
            "<li><a href=\"{link}\" download=\"{}.{ending}\">{name}</a></li>",
            frame.id
        ));
        framed.files.push((file, content.clone().into_bytes()));
    }
    if !items.is_empty() {
        tab(html, frame, "data", language, &format!("<ul>{items}</ul>"));
    }
    if !figure.method.is_empty() {
        let mut facts = String::from("<dl class=\"facts\">");
        for (name, text) in &figure.method {
            facts.push_str(&format!(
                "<dt>{}</dt><dd>{}</dd>",
                escape(name),
                escape(text)
            ));
        }
        facts.push_str("</dl>");
        tab(html, frame, "method", language, &facts);
    }
    html.push_str("</figure>\n");
    framed
}

/// Frames an image: body and caption only.
pub(super) fn frame_image(body: &str, frame: &Frame<'_>, language: &Language) -> String {
    let mut html = String::new();
    open(&mut html, frame, language, body);
    html.push_str("</figure>\n");
    html
}

/// The caption first, as HTML wants it, then the body.
fn open(html: &mut String, frame: &Frame<'_>, language: &Language, body: &str) {
    let number = language.message_with(
        "figure-number",
        &[("number", Argument::Count(frame.number as u64))],
    );
    html.push_str(&format!(
        "<figure class=\"figure\" id=\"{}\">\n<figcaption><span class=\"figure-number\">{}</span> \
         {}</figcaption>\n<div class=\"figure-body\">{body}</div>\n",
        frame.id,
        escape(&number),
        frame.caption
    ));
}

/// A tab by its message key. Equal names make browsers open one at a time.
fn tab(html: &mut String, frame: &Frame<'_>, key: &str, language: &Language, content: &str) {
    html.push_str(&format!(
        "<details class=\"tab tab-{key}\" name=\"{}-tabs\"><summary>{}</summary>\n{content}\n\
         </details>\n",
        frame.id,
        escape(language.message(key))
    ));
}
