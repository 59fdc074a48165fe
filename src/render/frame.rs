//! The frame around a figure: number, caption, and the tabs with its table, data and method.

use crate::figure::Figure;
use crate::figure::markup::escape;
use crate::site::address;
use crate::text::{Argument, Language};

/// What a frame says of its figure.
#[derive(Debug)]
pub struct Frame<'a> {
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
pub struct Framed {
    /// The markup.
    pub html: String,
    /// Files by address.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Frames a figure.
pub fn frame(figure: &Figure, frame: &Frame<'_>, language: &Language) -> Framed {
    let mut framed = Framed::default();
    let html = &mut framed.html;
    html.push_str(&format!(
        "<figure class=\"figure\" id=\"{}\">\n<div class=\"figure-body\">{}</div>\n",
        frame.id, figure.body
    ));
    caption(html, frame, language);
    if let Some(table) = &figure.table {
        tab(html, frame, language.message("table"), table);
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
        tab(html, frame, language.message("data"), &format!("<ul>{items}</ul>"));
    }
    if !figure.method.is_empty() {
        let mut facts = String::from("<dl class=\"facts\">");
        for (name, text) in &figure.method {
            facts.push_str(&format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(text)));
        }
        facts.push_str("</dl>");
        tab(html, frame, language.message("method"), &facts);
    }
    html.push_str("</figure>\n");
    framed
}

/// Frames an image: body and caption only.
pub fn frame_image(body: &str, frame: &Frame<'_>, language: &Language) -> String {
    let mut html = format!(
        "<figure class=\"figure\" id=\"{}\">\n<div class=\"figure-body\">{body}</div>\n",
        frame.id
    );
    caption(&mut html, frame, language);
    html.push_str("</figure>\n");
    html
}

fn caption(html: &mut String, frame: &Frame<'_>, language: &Language) {
    let number = language
        .message_with("figure-number", &[("number", Argument::Count(frame.number as u64))]);
    html.push_str(&format!(
        "<figcaption><span class=\"figure-number\">{}</span> {}</figcaption>\n",
        escape(&number),
        frame.caption
    ));
}

fn tab(html: &mut String, frame: &Frame<'_>, name: &str, content: &str) {
    html.push_str(&format!(
        "<details class=\"tab\" name=\"{}-tabs\"><summary>{}</summary>\n{content}\n</details>\n",
        frame.id,
        escape(name)
    ));
}
