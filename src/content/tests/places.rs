//! Places: faults, values, blocks and their arguments stand where the author typed them.

use super::*;

fn reported(body: &str) -> Vec<String> {
    faults(&page(body, RawHtml::Escape).1)
}

#[test]
fn faults_of_values_are_exact_in_every_container() {
    for body in [
        "Größe {{ a ? b }}",
        "- x\n  - Größe {{ a ? b }}",
        "> > Ж {{ a ? b }}",
        "> {{ f(x=1)\n> + a ? b }}",
        "| ü | {{ f(a=\"|\") }} {{ a ? b }} |\n|---|---|\n",
        "a\r\n\r\n- b\r\n  {{ a ? b }}\r\n",
        "# Ü {{ a ? b }}",
        "[^1]\n\n[^1]: > Ü {{ a ? b }}",
    ] {
        assert_eq!(reported(body), ["bad-expression: ?"], "{body}");
    }
}

#[test]
fn a_quote_goes_on_inside_a_value() {
    let (document, report) = page("> > {{ f(\n> >   a=1) > 2\n> > }} z", RawHtml::Escape);
    assert_eq!(faults(&report), [""; 0]);
    assert_eq!(document.inlines[0].expression.canonical(), "(f(a=1) > 2)");
    let (document, _) = page("x {{ a\n> 2 }}", RawHtml::Escape);
    assert_eq!(document.inlines[0].expression.canonical(), "(a > 2)");
}

#[test]
fn blocks_are_exact_in_every_container() {
    for body in [
        "```table\nrows = \"ü\"\ncolumns = 1\nmark = \"bset\"\n---\na,ж\n1,2\n```\n",
        "- x\n\n  ```table\n  rows = \"ü\"\n  columns = 1\n  mark = \"bset\"\n  ---\n  a,ж\n  1,2\n  ```\n",
        "> ```table\n> rows = \"ü\"\n> columns = 1\n> mark = \"bset\"\n> ---\n> a,ж\n> 1,2\n> ```\n",
        "1. > - ~~~ table\n   >   rows = \"ü\"\n   >   columns = 1\n   >   mark = \"bset\"\n   >   ---\n   >   a,ж\n   >   1,2\n   >   ~~~\n",
        "```table\r\nrows = \"ü\"\r\ncolumns = 1\r\nmark = \"bset\"\r\n---\r\na,ж\r\n1,2\r\n```\r\n",
    ] {
        let (document, report) = page(body, RawHtml::Escape);
        assert_eq!(
            faults(&report),
            ["bad-argument: 1 | columns", "bad-argument: \"bset\" | mark"],
            "{body}"
        );
        let block = &document.blocks[0];
        let rows = block.arguments.get("rows").expect("rows");
        assert_eq!(
            (rows.name_span.text(), rows.value_span.text()),
            ("rows", "\"ü\""),
            "{body}"
        );
        let lines: Vec<&str> = block
            .row_lines
            .iter()
            .map(crate::diag::Span::text)
            .collect();
        assert_eq!(lines, ["a,ж", "1,2"], "{body}");
        let fence = block.span.text();
        assert!(
            fence.starts_with(['`', '~']) && fence.ends_with(['`', '~']),
            "{fence}"
        );
    }
}

#[test]
fn blocks_are_checked_against_their_table() {
    for (block, expected) in [
        ("table\n", vec!["missing-argument: ```table"]),
        ("chart\nkind = \"timeline\"\n", vec![]),
        (
            "chart\nkind = \"line\"\n",
            vec!["missing-argument: ```chart"],
        ),
        (
            "chart\nkind = \"pie\"\nx = \"a\"\n",
            vec!["bad-argument: \"pie\" | kind"],
        ),
        (
            "chart\nkind = \"line\"\nx = \"a\"\nfrom_zero = \"yes\"\n",
            vec!["bad-argument: \"yes\" | from_zero"],
        ),
        ("claims\nid = 1\n", vec!["unknown-argument: id"]),
        ("claims\n---\na\n", vec!["bad-block: a"]),
        (
            "table\nrows = \"a\"\nrows = \"b\"\n",
            vec!["bad-argument: rows"],
        ),
        ("table\nrows = a\n", vec!["bad-block: a"]),
        (
            "table\nrows = \"a\"\nshow = [\"n\", \"m\"]\n",
            vec!["bad-argument: \"m\" | show"],
        ),
        (
            "table\nrows = \"a\"\nwhere = { p = \"x\", q = [1, {}] }\n",
            vec!["bad-argument: {} | where"],
        ),
        (
            "compare\nfactor = \"f\"\nfrom = \"a\"\nto = \"b\"\n",
            vec![],
        ),
        ("compare\nfrom = \"a\"\nto = \"b\"\n", vec![]),
        (
            "compare\nfactor = \"f\"\nfrom = \"a\"\n",
            vec!["missing-argument: ```compare"],
        ),
    ] {
        assert_eq!(reported(&format!("```{block}```\n")), expected, "{block}");
    }
}

#[test]
fn claims_stand_in_one_element() {
    for (body, expected) in [
        ("{% claim a<1 %}x *y* {{ v }}{% end %}", vec![]),
        (
            "{% claim a<1 %}x\n\ny{% end %}",
            vec!["unclosed-claim: {% claim a<1 %} | {% end %}"],
        ),
        (
            "*{% claim a<1 %}x*{% end %}",
            vec!["unclosed-claim: {% claim a<1 %} | {% end %}"],
        ),
        (
            "{% claim a<1 %}*x{% end %}*",
            vec!["unclosed-claim: {% claim a<1 %} | {% end %}"],
        ),
        (
            "- {% claim a<1 %}x\n  - y{% end %}",
            vec!["unclosed-claim: {% claim a<1 %} | {% end %}"],
        ),
        (
            "|{% claim a<1 %}x|y{% end %}|\n|-|-|",
            vec!["unclosed-claim: {% claim a<1 %} | {% end %}"],
        ),
        ("{% claim a<1 %}x", vec!["unclosed-claim: {% claim a<1 %}"]),
        ("x{% end %}", vec!["stray-end: {% end %}"]),
        (
            "{% claim a<1 %}x{% claim b<1 %}y{% end %}{% end %}",
            vec!["unclosed-claim: {% claim b<1 %} | {% claim a<1 %}"],
        ),
        ("{% claim %}x{% end %}", vec!["bad-expression: {% claim %}"]),
        ("{% claim a %}x{% end %}", vec!["bad-expression: a"]),
        ("{%- claim a<1 -%}x{%- end -%}", vec![]),
        (
            "![{% claim a<1 %}x{% end %}](a.png)",
            vec!["bad-expression: {% claim a<1 %}"],
        ),
        (
            "{% endclaim %}",
            vec!["unsupported-statement: {% endclaim %}"],
        ),
        (
            "{% set x = 1 %} \\{% x %} `{% x %}`",
            vec!["unsupported-statement: {% set x = 1 %}"],
        ),
        ("> {% claim a\n> < 1 %}x{% end %}", vec![]),
    ] {
        assert_eq!(reported(body), expected, "{body}");
    }
    let (document, _) = page(
        "*{% claim a<1 %}x*{% end %} {% claim b<2 %}*y*\nz {{ v }}.{% end %}",
        RawHtml::Escape,
    );
    assert_eq!(
        shown(&document.pieces),
        "<p><em>x</em> «c0:»<em>y</em>\nz «0».«:c0»</p>\n"
    );
    assert_eq!(document.claims.len(), 1);
    assert_eq!(document.claims[0].prose, "y z ….");
    assert_eq!(document.claims[0].span.text(), "{% claim b<2 %}");
}

#[test]
fn unclosed_and_misplaced_values_are_reported() {
    for (body, expected) in [
        ("{{ a\n\nb }}", vec!["unclosed-expression: {{ a"]),
        ("{{ a {{ b }}", vec!["unclosed-expression: {{ a {{ b }}"]),
        ("{{ \"a }} b", vec!["bad-expression: \"a"]),
        (
            "{% claim a<1 }}",
            vec!["unclosed-expression: {% claim a<1 }}"],
        ),
        ("{{ }}", vec!["bad-expression: "]),
        ("[a](b{{v}}.md)", vec!["bad-expression: {{v}}"]),
        ("[a]: b \"{{ v }}\"", vec!["bad-expression: {{ v }}"]),
        (
            "x \u{E000}0\u{E001} &#xE001;",
            vec![
                "reserved-character: \u{E000}",
                "reserved-character: \u{E001}",
                "reserved-character: &#xE001;",
            ],
        ),
    ] {
        assert_eq!(reported(body), expected, "{body}");
    }
}
