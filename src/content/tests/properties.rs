//! What holds for any text: no panic, places on character boundaries, balanced and valid HTML.

use proptest::prelude::*;

use super::*;
use crate::content::{Expression, fragment, set_translated_from};
use crate::diag::Span;

/// Scraps of Markdown, of our own marks, and of what neither expects.
#[rustfmt::skip]
const SCRAPS: &[&str] = &[
    "\n", "\n\n", "\r\n", " ", "    ", "\t", "> ", "- ", "1. ", "- [ ] ", "> [!NOTE]\n", "```",
    "```table\n", "```chart\nkind = \"line\"\n", "~~~", "`", "``", "*", "**", "_", "~~", "[",
    "](a.md)", "](javascript:x)", "](<b c> \"t {{ v }}\")", "![", "](a.png)", "[^1]", "\n[^1]: ",
    "\n\n| a | b |\n|--|:-:|\n", "|", "{{", "}}", "{{ value(a=\"x|y\") }}", "{{ 'ab`' }}",
    "{% claim a<1 %}", "{% claim", "%}", "{% end %}", "{% x %}", "<b>", "</b>", "<I>", "</i>",
    "<br>", "<div>", "</div>", "<p>", "<table><tr><td>", "<!--", "-->", "\\", "\\{{", "# ",
    "## ", " {#id}", "\n---\n", "\n===\n", "\n***\n", "+++\n", "\n: ", "é", "Жя", "😀",
    "\u{E000}", "\u{E001}", "\u{E000}0\u{E001}", "&#xE000;0&#57345;", "\"", "'", "(", ")",
    "<https://a.b>", "[x]: /y {{ z }}\n", "=", "x", "word ", "rows = \"a\"\n", "1", "\u{0}",
    "title: a\n",
];

fn markdown() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(SCRAPS), 0..40).prop_map(|scraps| scraps.concat())
}

/// All HTML with a word in place of everything else.
fn html(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Html(html) => html.as_str(),
            Piece::Block(_) => "<figure></figure>",
            _ => "x",
        })
        .collect()
}

/// Checks that tags are closed in order and stand where they may.
fn check(html: &str) -> Result<(), String> {
    const BLOCKS: &[&str] = &[
        "p",
        "div",
        "ul",
        "ol",
        "li",
        "pre",
        "table",
        "blockquote",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "dl",
        "dt",
        "dd",
        "hr",
        "section",
        "figure",
    ];
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let mut quoted = false;
        let end = rest
            .find(|letter| {
                quoted ^= letter == '"';
                letter == '>' && !quoted
            })
            .ok_or_else(|| format!("no end: {rest}"))?;
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop().as_deref() != Some(name) {
                return Err(format!("</{name}> closes nothing in {html}"));
            }
            continue;
        }
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if !name.chars().all(|letter| letter.is_ascii_alphanumeric()) || name.is_empty() {
            return Err(format!("<{tag}> is no tag in {html}"));
        }
        let inside = |outer: &str| open.iter().any(|open| open == outer);
        if BLOCKS.contains(&name) && inside("p") || name == "a" && inside("a") {
            return Err(format!("<{name}> in {open:?} in {html}"));
        }
        if !matches!(name, "br" | "hr" | "img" | "input" | "wbr" | "col") {
            open.push(name.to_owned());
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("{open:?} left open in {html}"))
    }
}

#[test]
fn the_check_sees_faults() {
    for bad in [
        "<p><div></div></p>",
        "<b><i></b></i>",
        "<p>",
        "</p>",
        "<a><a></a></a>",
        "< b>",
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
    assert_eq!(check("<p>a<br><b title=\">\">x</b></p>"), Ok(()));
}

fn check_spans(report: &Report) {
    for diagnostic in report.sorted() {
        for label in &diagnostic.labels {
            check_span(&label.span);
        }
    }
}

fn check_span(span: &Span) {
    assert!(
        span.source.text.get(span.range.clone()).is_some(),
        "{span:?}"
    );
}

fn check_page(text: &str, raw_html: RawHtml) -> Result<(), TestCaseError> {
    let source = Source::new("a.md", text);
    let mut report = Report::new();
    let document = read(&source, raw_html, &mut report);
    check_spans(&report);
    let Some(document) = document else {
        return Ok(());
    };
    if let Err(fault) = check(&html(&document.pieces)) {
        return Err(TestCaseError::fail(fault));
    }
    let mut open = None;
    for piece in &document.pieces {
        match piece {
            Piece::Inline { index, .. } => check_span(&document.inlines[*index].span),
            Piece::ClaimStart(index) => prop_assert!(open.replace(*index).is_none()),
            Piece::ClaimEnd(index) => prop_assert_eq!(open.take(), Some(*index)),
            Piece::Block(index) => {
                let block = &document.blocks[*index];
                prop_assert!(open.is_none());
                check_span(&block.span);
                block.row_lines.iter().for_each(check_span);
            }
            Piece::Link(index) => check_span(&document.links[*index].span),
            Piece::Image(index) => check_span(&document.images[*index].span),
            Piece::Html(_) | Piece::Message(_) => {}
        }
    }
    prop_assert!(open.is_none());
    let mut anchors = document.anchors.clone();
    anchors.sort();
    anchors.dedup();
    prop_assert_eq!(anchors.len(), document.anchors.len());
    for heading in &document.headings {
        check_span(&heading.span);
        if let Err(fault) = check(&html(&heading.pieces)) {
            return Err(TestCaseError::fail(fault));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_markdown_gives_valid_html(body in markdown(), sanitize in any::<bool>()) {
        let raw_html = if sanitize { RawHtml::Sanitize } else { RawHtml::Escape };
        check_page(&format!("+++\ntitle = \"T\"\n+++\n{body}"), raw_html)?;
    }

    #[test]
    fn any_file_is_read_without_panic(text in "(\\+\\+\\+|---)?(\r?\n)?.*(\n.*){0,6}", scraps in markdown()) {
        check_page(&text, RawHtml::Escape)?;
        check_page(&format!("{text}{scraps}"), RawHtml::Sanitize)?;
        check_page(&format!("---\n{text}\n{scraps}---\n"), RawHtml::Escape)?;
        check_page(&format!("+++\n{text}\n{scraps}\n+++\n"), RawHtml::Escape)?;
    }

    #[test]
    fn any_fragment_is_inline(text in markdown()) {
        let source = Source::new("a.toml", format!("caption = '''{text}'''"));
        let mut report = Report::new();
        let fragment = fragment(&text, &Span::new(&source, 10..source.text.len()), &mut report);
        check_spans(&report);
        let html = html(&fragment.pieces);
        if let Err(fault) = check(&format!("<p>{html}</p>")) {
            return Err(TestCaseError::fail(fault));
        }
    }

    #[test]
    fn any_expression_is_read_without_panic(text in "[a-z0-9_(). ,=<>|+*/%\"'\\[\\]\n!&-]{0,60}|.{0,60}") {
        let source = Source::new("a", text.clone());
        let mut report = Report::new();
        let span = Span::new(&source, 0..text.len());
        let expression = Expression::parse(&span, &mut report);
        prop_assert_eq!(expression.is_none(), report.has_errors());
        let _ = Expression::parse_claim(&span, &mut report);
        check_spans(&report);
    }

    #[test]
    fn stamping_changes_nothing_else(text in "(\\+\\+\\+|---)\r?\n(title[:=] ?\"x\"\r?\n|[a-z]: 1\n|translated_from = \"old\"\n)*(\\+\\+\\+|---)\n.*") {
        let once = set_translated_from(&text, "0123456789abcdef");
        prop_assert_eq!(set_translated_from(&once, "0123456789abcdef"), once);
    }
}

#[test]
fn deep_nesting_is_read_or_refused() {
    for scrap in ["> ", "- ", "*", "[", "![", "{{ ", "{% claim ", "<b>", "1. "] {
        let body = format!("{}x", scrap.repeat(1_000));
        check_page(
            &format!("+++\ntitle = \"T\"\n+++\n{body}"),
            RawHtml::Sanitize,
        )
        .expect(scrap);
    }
    for scrap in ["[", "{a: ", "- "] {
        for count in [50, 500, 5_000] {
            let text = scrap.repeat(count);
            check_page(
                &format!("---\ntitle: T\ntags: {text}\n---\n"),
                RawHtml::Escape,
            )
            .expect(scrap);
            check_page(&format!("---\n{text}\n---\n"), RawHtml::Escape).expect(scrap);
            check_page(&format!("+++\ntags = {text}\n+++\n"), RawHtml::Escape).expect(scrap);
        }
    }
}
