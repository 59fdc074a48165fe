//! The HTML of each kind of Markdown.

use super::*;

fn html(body: &str) -> String {
    shown(&page(body, RawHtml::Escape).0.pieces)
}

fn safe(body: &str) -> String {
    shown(&page(body, RawHtml::Sanitize).0.pieces)
}

#[test]
fn values_work_wherever_words_do() {
    for (body, expected) in [
        ("a {{ v }} b", "<p>a «0» b</p>\n"),
        ("# H {{ v }}", "<h1 id=\"h\">H «0»</h1>\n"),
        (
            "[x {{ v }}](a.md)",
            "<p><a href=\"«link 0»\">x «0»</a></p>\n",
        ),
        (
            "![x {{ v }}](a.png)",
            "<p><img src=\"«image 0»\" alt=\"x «0@»\" loading=\"lazy\"></p>\n",
        ),
        (
            "[x](a.md \"t {{ v }}\")",
            "<p><a href=\"«link 0»\" title=\"t «0@»\">x</a></p>\n",
        ),
        ("**{{ v }}**x", "<p><strong>«0»</strong>x</p>\n"),
        ("{{ f(a=\"*x*_y_\") }}", "<p>«0»</p>\n"),
        ("{{\nv\n}}", "<p>«0»</p>\n"),
        (
            "`{{ v }}` \\{{ v }} \\\\{{ v }}",
            "<p><code>{{ v }}</code> {{ v }} \\«0»</p>\n",
        ),
        (
            "{{ f(a=\"`\") }} `{{ v }}` {{ w }}",
            "<p>«0» <code>{{ v }}</code> «1»</p>\n",
        ),
        ("{{ '}}' }}", "<p>«0»</p>\n"),
        (
            "    {{ v }}",
            "<pre class=\"code\" tabindex=\"0\"><code>{{ v }}</code></pre>\n",
        ),
        ("<b>{{ v }}</b>", "<p>&lt;b&gt;«0»&lt;/b&gt;</p>\n"),
        (
            "RDB$RELATIONS and V$SESSION",
            "<p>RDB$RELATIONS and V$SESSION</p>\n",
        ),
    ] {
        let (document, report) = page(body, RawHtml::Escape);
        assert_eq!(shown(&document.pieces), expected, "{body}");
        assert_eq!(faults(&report), [""; 0], "{body}");
    }
}

#[test]
fn tables_name_their_region_and_align_by_class() {
    assert_eq!(
        html("| A | {{ v(a=\"x|y\") }} |\n|---|--:|\n| 1 | {{ v | bare }} |\n"),
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"A\">\n<table>\n<thead>\n\
         <tr><th scope=\"col\">A</th><th scope=\"col\" class=\"align-right\">«0»</th></tr>\n\
         </thead>\n<tbody>\n<tr><td>1</td><td class=\"align-right\">«1»</td></tr>\n</tbody>\n\
         </table>\n</div>\n"
    );
    let twice = html("| A |\n|---|\n\ntext\n\n| A |\n|---|\n");
    assert!(twice.contains("aria-label=\"A\"") && twice.contains("aria-label=\"A (2)\""));
    assert!(!twice.contains("tbody"));
}

#[test]
fn footnotes_are_gathered_with_ways_back() {
    assert_eq!(
        html("a[^x] b[^y] c[^x]\n\n[^y]: Y\n[^x]: X {{ v }}\n[^z]: Z\n"),
        "<p>a<sup class=\"footnote-reference\"><a id=\"fn-1-ref\" href=\"#fn-1\" role=\"doc-noteref\" aria-label=\"«footnote» 1\">1</a></sup> \
         b<sup class=\"footnote-reference\"><a id=\"fn-2-ref\" href=\"#fn-2\" role=\"doc-noteref\" aria-label=\"«footnote» 2\">2</a></sup> \
         c<sup class=\"footnote-reference\"><a id=\"fn-1-ref-2\" href=\"#fn-1\" role=\"doc-noteref\" aria-label=\"«footnote» 1\">1</a></sup></p>\n\
         <section class=\"footnotes\" role=\"doc-endnotes\" aria-label=\"«footnotes»\">\n<ol>\n\
         <li id=\"fn-1\">\n<p>X «0» <a class=\"footnote-back\" role=\"doc-backlink\" href=\"#fn-1-ref\" aria-label=\"«footnote-back» 1-1\">↩<sup>1</sup></a> \
         <a class=\"footnote-back\" role=\"doc-backlink\" href=\"#fn-1-ref-2\" aria-label=\"«footnote-back» 1-2\">↩<sup>2</sup></a></p>\n</li>\n\
         <li id=\"fn-2\">\n<p>Y <a class=\"footnote-back\" role=\"doc-backlink\" href=\"#fn-2-ref\" aria-label=\"«footnote-back» 2\">↩</a></p>\n</li>\n\
         <li id=\"fn-3\">\n<p>Z</p>\n</li>\n</ol>\n</section>\n"
    );
}

#[test]
fn alerts_tasks_and_definitions() {
    assert_eq!(
        html("> [!TIP]\n> x"),
        "<blockquote class=\"markdown-alert-tip\">\n<p class=\"alert-title\">«alert-tip»</p>\n<p>x</p>\n</blockquote>\n"
    );
    assert_eq!(
        html("- [x] a\n- b"),
        "<ul>\n<li class=\"task\"><input type=\"checkbox\" disabled checked aria-label=\"«task-done»\"> a</li>\n<li>b</li>\n</ul>\n"
    );
    assert_eq!(html("A\n: b"), "<dl>\n<dt>A</dt>\n<dd>b</dd>\n</dl>\n");
    assert_eq!(html("~~a~~ b  \nc"), "<p><del>a</del> b<br>\nc</p>\n");
    assert_eq!(html("3. x"), "<ol start=\"3\">\n<li>x</li>\n</ol>\n");
}

#[test]
fn anchors_are_unique_and_reported() {
    let (document, report) = page(
        "# A\n# A\n# B {#a}\n# C {#x}\n# D {#x}\n# fn 1\n# {{ v }}",
        RawHtml::Escape,
    );
    let ids: Vec<&str> = document
        .headings
        .iter()
        .map(|heading| heading.id.as_str())
        .collect();
    assert_eq!(ids[..4], ["a-2", "a-3", "a", "x"]);
    assert!(
        ids.iter()
            .all(|id| !id.starts_with("fn-") && !id.is_empty()),
        "{ids:?}"
    );
    assert_eq!(faults(&report), ["duplicate-anchor: # D {#x} | # C {#x}"]);
    let (document, _) = page(
        "# [a](b.md) *c* {{ v }} `d` {.k onclick=\"x\"}",
        RawHtml::Escape,
    );
    assert_eq!(
        shown(&document.headings[0].pieces),
        "a <em>c</em> «0» <code>d</code>"
    );
    assert!(
        shown(&document.pieces).starts_with("<h1 id=\"a-c-d\" class=\"k\">"),
        "{}",
        shown(&document.pieces)
    );
}

#[test]
fn raw_html_is_text_or_reduced_to_what_is_safe() {
    assert_eq!(
        html("<script>x</script>\n"),
        "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"
    );
    assert_eq!(
        html("a <b>c</b> <!-- n -->d\n\n<!-- note -->\n"),
        "<p>a &lt;b&gt;c&lt;/b&gt; d</p>\n"
    );
    assert_eq!(
        safe("a <B>b</B> <kbd>c d</kbd> e<br/>f"),
        "<p>a <b>b</b> <kbd>c d</kbd> e<br>f</p>\n"
    );
    assert_eq!(
        safe("<b onclick=x>a</b> *<i>b* c</i>"),
        "<p>&lt;b onclick=x&gt;a&lt;/b&gt; <em><i>b</i></em> c&lt;/i&gt;</p>\n"
    );
    assert_eq!(
        safe(
            "<div onclick=\"x\" id=\"a\" class=\"b\" style=\"c\"><script>x</script><a href=\"javascript:x\">y</a><a href=\"https://a.b\">z</a><img src=\"https://a/b\"><b>c</div>\n"
        ),
        "<div><a rel=\"noopener\">y</a><a href=\"https://a.b\" rel=\"noopener\">z</a><b>c</b></div>\n"
    );
}

#[test]
fn only_safe_links_are_links() {
    let (document, report) = page(
        "[a](java&#x09;script:x) [b](//h/p) [c](experiment:x) [d](../a/index.md#y) <mailto:a@b.c> [e](https://a.b/ü) ![f](//h/i.png) ![g](data:x)",
        RawHtml::Escape,
    );
    assert_eq!(
        shown(&document.pieces),
        "<p>a b <a href=\"«link 0»\">c</a> <a href=\"«link 1»\">d</a> <a href=\"mailto:a@b.c\" rel=\"noopener\">mailto:a@b.c</a> \
         <a href=\"https://a.b/%C3%BC\" rel=\"noopener\">e</a> f g</p>\n"
    );
    let targets: Vec<&str> = document
        .links
        .iter()
        .map(|link| link.target.as_str())
        .collect();
    assert_eq!(targets, ["experiment:x", "../a/index.md#y"]);
    assert!(document.images.is_empty());
    assert_eq!(
        faults(&report),
        [
            "unsafe-link: [a](java&#x09;script:x)",
            "unsafe-link: //h/p",
            "unsafe-link: //h/i.png",
            "unsafe-link: data:x"
        ]
    );
}

#[test]
fn fences_are_blocks_code_or_slips() {
    assert_eq!(
        html("```sql x\nselect\n```\n"),
        "<pre class=\"code\" tabindex=\"0\"><code class=\"language-sql\"><span class=\"k\">select</span>\n</code></pre>\n"
    );
    assert_eq!(
        html("a\n```claims\n```\nb"),
        "<p>a</p>\n«block 0»\n<p>b</p>\n"
    );
    let (_, report) = page(
        "```Chart\n```\n\n```text\n```\n\n```python\n```\n",
        RawHtml::Escape,
    );
    assert_eq!(faults(&report), ["misspelled-block: Chart"]);
}

#[test]
fn words_have_no_markup() {
    let (document, _) = page(
        "# A *b*\n\nc `d` {{ v }}\ne[^1]\n\n- f\n- g\n\n|h|i|\n|-|-|\n\n```sql\nno\n```\n\n[^1]: note",
        RawHtml::Escape,
    );
    assert_eq!(document.words, "A b c d … e f g h i note");
}

#[test]
fn fragments_are_inline() {
    let source = Source::new(
        "a.toml",
        "caption = \"a *b* {{ v }} <i> ![x](y.png) [l](m.md)\"",
    );
    let mut report = Report::new();
    let text = "a *b* {{ v }} <i> ![x](y.png) [l](m.md)";
    let place = crate::diag::Span::new(&source, 10..source.text.len());
    let fragment = crate::content::fragment(text, &place, &mut report);
    assert_eq!(
        shown(&fragment.pieces),
        "a <em>b</em> «0» &lt;i&gt; x <a href=\"«link 0»\">l</a>"
    );
    assert_eq!(fragment.inlines[0].span.line_column(), (1, 18));
    assert_eq!(fragment.words, "a b … <i> x l");
}
