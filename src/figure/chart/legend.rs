//! The key to the series, as an HTML list beside the picture.

use std::fmt::Write as _;

use super::palette::{SERIES, dashes, marker};
use crate::figure::markup::escape;

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swatch {
    /// As bars.
    Bar,
    /// As points joined by lines.
    Line,
    /// As a line through more points than can be told apart.
    Stroke,
    /// As points.
    Point,
}

/// A list of swatches and names of the levels of a factor; unless it is bare, it says which factor.
pub(super) fn legend(series: &str, names: &[String], kind: Swatch, bare: bool) -> String {
    let mut out = format!("<ul class=\"legend\" aria-label=\"{}\">", escape(series));
    if !bare {
        // Said by the label of the list already.
        let _ = write!(
            out,
            "<li class=\"legend-title\" aria-hidden=\"true\">{}</li>",
            escape(series)
        );
    }
    for (index, name) in names.iter().enumerate() {
        let _ = write!(out, "<li>{} {}</li>", swatch(index, kind), escape(name));
    }
    out.push_str("</ul>");
    out
}

/// A small picture of how a series is drawn.
fn swatch(series: usize, kind: Swatch) -> String {
    let class = series % SERIES + 1;
    let mut out = format!(
        "<svg class=\"swatch series-{class}\" viewBox=\"0 0 28 12\" width=\"28\" height=\"12\" \
         aria-hidden=\"true\" focusable=\"false\">"
    );
    match kind {
        Swatch::Bar => {
            out.push_str(
                "<rect class=\"bar\" x=\"8\" width=\"12\" height=\"12\" fill=\"currentColor\"/>",
            );
        }
        Swatch::Line | Swatch::Stroke => {
            let dashes = match dashes(series) {
                "" => String::new(),
                dashes => format!(" stroke-dasharray=\"{dashes}\""),
            };
            let _ = write!(
                out,
                "<path class=\"line\" d=\"M0 6h28\" fill=\"none\" stroke=\"currentColor\" \
                 stroke-width=\"2\"{dashes}/>"
            );
            if kind == Swatch::Line {
                out.push_str(&point(series));
            }
        }
        Swatch::Point => out.push_str(&point(series)),
    }
    out.push_str("</svg>");
    out
}

fn point(series: usize) -> String {
    let Some(outline) = marker(series) else {
        return "<circle class=\"dot\" cx=\"14\" cy=\"6\" r=\"4\" fill=\"currentColor\"/>"
            .to_owned();
    };
    let mut out = String::from("<polygon class=\"dot\" fill=\"currentColor\" points=\"");
    for (index, (x, y)) in outline.iter().enumerate() {
        let gap = if index > 0 { " " } else { "" };
        let _ = write!(
            out,
            "{gap}{:.1},{:.1}",
            14.0 + f64::from(*x) / 10.0,
            6.0 + f64::from(*y) / 10.0
        );
    }
    out.push_str("\"/>");
    out
}
