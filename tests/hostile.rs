//! Sites whose every text is hostile: what comes out holds no markup but our own, and no path leaves.

#[path = "../fuzz/shared/bodies.rs"]
mod bodies;
#[path = "../fuzz/shared/html.rs"]
mod html;

use std::collections::BTreeSet;

use benchbook::diag::{Code, Diagnostic, Format, Report, Severity};
use benchbook::pipeline::Built;

type SiteFiles = Vec<(String, Vec<u8>)>;

/// Texts that break out where somebody forgot to escape.
const PAYLOADS: [&str; 10] = [
    "\"><zq onx=1 style=x>'</title></script><script>alert(1)</script><!--",
    "' onx='1' x=`onx=1` \\\" onx=1 \\",
    "]]></text></svg></desc></style><zq/>&lt;&#x3c;zq&#x3e;&quot;&amp;amp;",
    "{{ 7 * 191 }}{% set x = 1 %}{# x #}{{ site.csp | safe }}",
    "javascript:alert(1)//https://x",
    "=cmd|'/C calc'!A0",
    "\u{1}\u{7}\u{1b}[31m\u{7f}\u{85}\u{9b}2J\u{200b}\u{feff}\u{fdd0}\u{ffff}\u{2028}",
    "\u{202e}\u{2066}evil\u{2067}\u{202d}\u{200f}",
    "../../../etc/passwd\\..\\x%2e%2e%2fy?a=b#c",
    "\u{e000}0\u{e001}\u{e000}1\u{e001}",
];

fn quoted(text: &str) -> String {
    // TOML's basic strings escape as JSON's do, but for the code points above 0xFFFF, left as they are.
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

fn cell(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A site with `text` in every place that takes any text.
fn site(text: &str) -> SiteFiles {
    let q = quoted(text);
    let level = quoted(&format!("x{text}"));
    let c = cell(&format!("x{text}"));
    let mut files: Vec<(&str, String)> = Vec::new();
    files.push((
        "site.toml",
        format!(
            "title = {q}\ndescription = {q}\nlanguages = [\"en\", \"de\", \"ar\"]\n\
             [translations.de]\ntitle = {q}\ndescription = {q}\n[[menu]]\nlink = \"section/a.md\"\n"
        ),
    ));
    let front = format!(
        "title = {q}\ndescription = {q}\nauthors = [{q}, {q}]\ntags = [{q}, \"x\"]\ndate = 2026-01-02\nupdated = 2026-02-03\n"
    );
    files.push(("content/_index.md", format!("+++\n{front}+++\nhome\n")));
    files.push((
        "content/section/_index.md",
        format!("+++\n{front}+++\nsection\n"),
    ));
    files.push((
        "content/section/b.md",
        format!("+++\n{front}aliases = [\"old/b/\"]\n+++\nb\n"),
    ));
    let page = format!(
        "+++\n{front}experiment = \"e\"\n[[headline]]\nvalue = 'value(plan=\"al\", threads=1, metric=\"speed\", run=\"measured\")'\n\
         label = {q}\n+++\n{BODY}"
    );
    let page = page.replace("@Q@", &q).replace("@LEVEL@", "\"al\"");
    files.push(("content/section/a.md", page.clone()));
    files.push(("content/section/a.de.md", page));
    files.push(("content/section/p.svg", "<svg/>".to_owned()));
    files.push((
        "data/e/experiment.toml",
        DEFINITION.replace("@Q@", &q).replace("@LEVEL@", &level),
    ));
    files.push(("data/e/experiment.de.toml", OVERLAY.replace("@Q@", &q)));
    let mut csv = String::from("plan,threads,speed,cost,replicate\n");
    for (plan, threads, speed) in [
        (c.as_str(), 1, "2.5"),
        (&c, 2, "3"),
        ("slow", 1, "4"),
        ("slow", 2, "\"?\""),
    ] {
        for replicate in 1..=3 {
            csv.push_str(&format!(
                "{plan},{threads},{speed},{replicate},{replicate}\n"
            ));
        }
    }
    files.push(("data/e/a.csv", csv.clone()));
    files.push(("data/e/b&'%20 #c.csv", csv));
    files
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text.into_bytes()))
        .collect()
}

const BODY: &str = r#"
## One

{{ value(plan=@LEVEL@, threads=2, metric="cost", run="measured") }} {{ level(plan=@LEVEL@) }} {{ fact("cpu") }} {{ setting("x").value }} {{ best(threads=1, metric="speed", run="measured").plan }}
{% claim value(plan=@LEVEL@, threads=1, metric="speed", run="measured") < value(plan="slow", threads=1, metric="speed", run="measured") %}slower{% end %}
![alt {{ fact("cpu") }}](p.svg "title {{ fact("cpu") }}")

## {{ fact("cpu") }}

[{{ fact("cpu") }}](experiment:e)

```table
rows = "threads"
columns = "plan"
metric = ["speed", "cost"]
show = ["n", "interval"]
run = "measured"
```
```chart
kind = "line"
x = "threads"
series = "plan"
metric = "speed"
run = "measured"
```
```chart
kind = "bar"
x = "plan"
series = "threads"
metric = "speed"
run = "measured"
```
```chart
kind = "dot"
x = "plan"
where = { threads = 1 }
metric = "speed"
run = "measured"
```
```matrix
rows = "threads"
columns = "plan"
metric = "speed"
boundary = "threads > 1"
boundary_label = @Q@
run = "measured"
```
```compare
factor = "plan"
from = @LEVEL@
to = "slow"
metrics = ["speed"]
run = "measured"
```
```steps
steps = "threads"
factor = "plan"
metric = "speed"
from = @LEVEL@
to = "slow"
run = "measured"
```
```environment
```
```claims
```
```figure
src = "p.svg"
alt = @Q@
```
"#;

const DEFINITION: &str = r#"
title = @Q@
question = @Q@
summary = @Q@
[factors.plan]
label = @Q@
description = @Q@
kind = "nominal"
levels = [@LEVEL@, "slow"]
labels = { slow = @Q@ }
aliases = { al = @LEVEL@ }
[factors.threads]
label = @Q@
kind = "number"
unit = "threads"
[metrics.speed]
label = @Q@
description = @Q@
unit = "s"
better = "lower"
[metrics.cost]
label = @Q@
unit = "coins"
unit_label = @Q@
better = "lower"
[environment]
cpu = @Q@
own = @Q@
[environment_labels]
own = @Q@
[settings.x]
value = @Q@
default = @Q@
note = @Q@
[[sources]]
key = "k"
title = @Q@
authors = [@Q@, @Q@]
date = "2014-07-14"
language = "en"
note = @Q@
[[sources]]
key = "l"
title = "l"
url = "https://example.org/?a=\"><zq onx=1>&b='c"
[[files]]
path = "a.csv"
origin = "measured"
source = "k"
missing = { "?" = "failed" }
notes = { "?" = @Q@ }
[[files]]
path = "b&'%20 #c.csv"
origin = "published"
run = "other"
missing = { "?" = "failed" }
[files.environment]
memory = @Q@
"#;

const OVERLAY: &str = r#"
title = @Q@
question = @Q@
summary = @Q@
[factors.plan]
label = @Q@
labels = { slow = @Q@ }
[metrics.cost]
label = @Q@
unit_label = @Q@
[environment]
cpu = @Q@
[environment_labels]
own = @Q@
[settings.x]
note = @Q@
[sources.k]
note = @Q@
[notes]
"?" = @Q@
"#;

fn shown(report: &Report) -> String {
    benchbook::diag::render(report, Format::Human { colour: false })
}

/// The pages of a site, looked through; panics at anything that no page may hold.
fn look(built: &Built) -> BTreeSet<(String, String)> {
    let mut shapes = BTreeSet::new();
    for (path, bytes) in built.artifacts.iter() {
        if !path.ends_with(".html") {
            continue;
        }
        let text = std::str::from_utf8(bytes).expect("pages are UTF-8");
        let seen = html::look(text);
        assert_eq!(seen.faults, Vec::<String>::new(), "in {path}:\n{text}");
        for json in &seen.json {
            serde_json::from_str::<serde_json::Value>(json)
                .unwrap_or_else(|fault| panic!("{path}: {fault} in {json}"));
        }
        shapes.extend(seen.shapes);
    }
    for name in ["sitemap.xml", "en/feed.xml", "de/feed.xml"] {
        let bytes = built
            .artifacts
            .get(name)
            .unwrap_or_else(|| panic!("there is no {name}"));
        let text = std::str::from_utf8(bytes).expect("XML is UTF-8");
        let document = roxmltree::Document::parse(text)
            .unwrap_or_else(|fault| panic!("{name}: {fault} in\n{text}"));
        assert!(
            document
                .descendants()
                .all(|node| node.tag_name().name() != "zq"),
            "{name}"
        );
    }
    shapes
}

#[test]
fn no_text_becomes_markup() {
    let (built, report) = bodies::build(&site("word"));
    assert!(!report.has_errors(), "{}", shown(&report));
    let mut harmless = look(&built);
    // Long words are wrapped.
    let long = "a harmless sentence of many words, long enough to be wrapped wherever there is little room";
    harmless.extend(look(&bodies::build(&site(long)).0));
    let paths: BTreeSet<&str> = built.artifacts.iter().map(|(path, _)| path).collect();
    for payload in PAYLOADS {
        let (built, report) = bodies::build(&site(payload));
        // The signs of the last one are refused where Markdown has marks of its own.
        let refused = |code| code == Code::ReservedCharacter;
        let errors = report
            .sorted()
            .into_iter()
            .filter(|it| it.severity == Severity::Error);
        let other: Vec<_> = errors.filter(|it| !refused(it.code)).collect();
        assert!(other.is_empty(), "{payload:?}:\n{}", shown(&report));
        let shapes = look(&built);
        let strange: Vec<_> = shapes.difference(&harmless).collect();
        assert!(strange.is_empty(), "{payload:?} made {strange:?}");
        let now = built
            .artifacts
            .iter()
            .map(|(path, _)| path)
            .filter(|path| path.ends_with(".html"));
        let new: Vec<&str> = now
            .filter(|path| !paths.contains(path) && !path.contains("/tags/"))
            .collect();
        assert!(new.is_empty(), "{payload:?} made {new:?}");
    }
}

#[test]
fn templates_in_texts_stay_texts() {
    let (built, _) = bodies::build(&site("{{ 7 * 191 }}{% if true %}"));
    for (path, bytes) in built
        .artifacts
        .iter()
        .filter(|(path, _)| path.ends_with(".html"))
    {
        assert!(!String::from_utf8_lossy(bytes).contains("1337"), "{path}");
    }
}

/// Spreadsheets take a cell that begins so for a formula.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && cell.parse::<f64>().is_err()
        && !cell.contains("..")
}

#[test]
fn no_export_holds_a_formula() {
    for level in [
        "=1+1",
        "@SUM(A1)",
        "+1|x",
        "-O2",
        "\t=1",
        "=cmd|'/C calc'!A0",
    ] {
        let files = [
            (
                "data/e/experiment.toml",
                FORMULA.replace("@L@", &quoted(level)),
            ),
            (
                "data/e/a.csv",
                format!("plan,speed\n{},-1.5\nb,2\n", cell(level)),
            ),
            (
                "content/a.md",
                "+++\ntitle = \"t\"\nexperiment = \"e\"\n+++\n```table\nrows = \"plan\"\n```\n"
                    .to_owned(),
            ),
        ];
        let files: SiteFiles = files
            .into_iter()
            .map(|(path, text)| (path.to_owned(), text.into_bytes()))
            .collect();
        let (built, report) = bodies::build(&files);
        assert!(!report.has_errors(), "{level}:\n{}", shown(&report));
        let exports: Vec<&str> = built
            .artifacts
            .iter()
            .filter(|(path, _)| path.contains("/figures/") && path.ends_with(".csv"))
            .map(|(_, bytes)| std::str::from_utf8(bytes).expect("UTF-8"))
            .collect();
        assert!(!exports.is_empty());
        for export in exports {
            assert!(export.contains("-1.5"), "numbers stay: {export}");
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(export.as_bytes());
            for record in reader.records() {
                for cell in &record.expect("a record") {
                    assert!(!is_formula(cell), "{level}: {cell:?} in\n{export}");
                }
            }
        }
    }
}

const FORMULA: &str = "title = \"t\"\nquestion = \"q\"\n[factors.plan]\nlabel = \"p\"\nkind = \"nominal\"\nlevels = [@L@, \"b\"]\n[metrics.speed]\nlabel = \"s\"\nunit = \"points\"\n[[files]]\npath = \"a.csv\"\norigin = \"measured\"\n";

/// A page of this Markdown; whether links in it were refused, and what the page holds.
fn page(markdown: &str, raw_html: &str) -> (html::Seen, Report) {
    let files = [
        ("site.toml", format!("raw_html = \"{raw_html}\"\n")),
        (
            "content/a.md",
            format!("+++\ntitle = \"t\"\n+++\n{markdown}\n"),
        ),
    ];
    let files: SiteFiles = files
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text.into_bytes()))
        .collect();
    let (built, report) = bodies::build(&files);
    let page = built.artifacts.get("en/a/index.html").expect("the page");
    (
        html::look(std::str::from_utf8(page).expect("UTF-8")),
        report,
    )
}

#[test]
fn links_that_run_code_are_refused() {
    for link in [
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](<java\tscript:alert(1)>)",
        "[a](java&Tab;script:alert(1))",
        "[a](java&NewLine;script:alert(1))",
        "[a](&#106;avascript&colon;alert(1))",
        "[a](&#x01;javascript:alert(1))",
        "[a](\\javascript:alert(1))",
        "[a](vbscript:msgbox(1))",
        "[a](data:text/html,x)",
        "[a](DATA:text/html;base64,PHNjcmlwdD4=)",
        "[a](//evil.example/)",
        "[a](/\\evil.example)",
        "[a](blob:https://x)",
        "[a](file:///etc/passwd)",
        "[a](view-source:x)",
        "[a](experiment:javascript:x)",
        "[a][b]\n\n[b]: javascript:alert(1)",
        "<javascript:alert(1)>",
        "![a](javascript:alert(1))",
        "![a](data:image/svg+xml,x)",
        "![a](https://evil.example/x.png)",
        "![a](../../../../etc/passwd)",
        "[a](../../../../etc/passwd)",
        "[a](..%2f..%2f..%2fetc%2fpasswd)",
        "```figure\nsrc = \"javascript:x\"\nalt = \"a\"\n```",
        "```figure\nsrc = \"../../../x.svg\"\nalt = \"a\"\n```",
    ] {
        let (seen, report) = page(link, "escape");
        assert!(report.has_errors(), "{link} was taken");
        assert_eq!(seen.faults, Vec::<String>::new(), "{link}");
    }
}

#[test]
fn raw_html_is_shown_or_reduced() {
    for markup in [
        "<script>alert(1)</script>",
        "a <script>alert(1)</script> b",
        "<img src=x onerror=alert(1)>",
        "a <img src=x onerror=alert(1)> b",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<math><mi//xlink:href=\"data:x,<script>alert(4)</script>\">",
        "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
        "<a href=\"javascript:alert(1)\" onclick=alert(1) style=\"x\">a</a>",
        "<div style=\"background:url(javascript:x)\" class=site-head id=content>a</div>",
        "<b onclick=alert(1)>a</b>",
        "a <b\n onclick=alert(1)>a</b>",
        "<style>*{display:none}</style>",
        "<form action=x><input name=x><button>x</button></form>",
        "<base href=https://evil.example/>",
        "<meta http-equiv=refresh content=\"0;url=https://evil.example\">",
        "<link rel=stylesheet href=https://evil.example>",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<!--><img src=x onerror=alert(1)>-->",
        "<!-- --!><img src=x onerror=alert(1)> -->",
        "<![CDATA[<img src=x onerror=alert(1)>]]>",
        "<?php <img src=x onerror=alert(1)> ?>",
        "<table><td><form><input></table>",
        "</main></body></html><script>x</script>",
        "<details open ontoggle=alert(1)>x</details>",
        "<a href=\"&#106;avascript:alert(1)\">x</a>",
        "<p>\n\n</p></div></main>",
        "\u{1}\u{7f}\u{85}\u{9b}\u{fdd0}\u{ffff}\u{1ffff} `\u{85}`",
        "```\n\u{85}\u{ffff}\n```\n\n```rust\n// \u{9b}\u{fdd0}\n```",
    ] {
        for raw_html in ["escape", "sanitize"] {
            let (seen, _) = page(markup, raw_html);
            assert_eq!(seen.faults, Vec::<String>::new(), "{raw_html}: {markup}");
            let (plain, _) = page("x <b>x</b>\n\n<div>\n\n- [x](https://x.y)\n", raw_html);
            let extra: Vec<_> = seen
                .shapes
                .difference(&plain.shapes)
                .filter(|(name, _)| {
                    raw_html == "escape"
                        || ["script", "img", "svg", "style", "meta", "link"]
                            .contains(&name.as_str())
                })
                .filter(|(name, _)| !["p", "code", "pre", "span"].contains(&name.as_str()))
                .collect();
            assert!(extra.is_empty(), "{raw_html}: {markup} made {extra:?}");
        }
    }
}

#[test]
fn attributes_hold_no_characters_without_a_place() {
    let markdown = "![\u{85}\u{1}](x.png \"\u{ffff}\") [\u{9b}](https://x.y \"\u{85}\")";
    let (seen, _) = page(markdown, "escape");
    assert_eq!(seen.faults, Vec::<String>::new());
}

#[test]
fn keys_and_names_are_refused_or_harmless() {
    let harmless = look(&bodies::build(&site("word")).0);
    for key in [
        "\"><zq onx=1>",
        "../../x",
        "a b",
        "CON",
        "\u{202e}x",
        "x\u{1b}[31m",
        "x/y",
        ".",
        "..",
        "é",
        "'",
        "{{ 1 }}",
    ] {
        let q = quoted(key);
        let mut definition = DEFINITION
            .replace("@Q@", "\"w\"")
            .replace("@LEVEL@", "\"xword\"");
        definition = definition
            .replace("[factors.plan]", &format!("[factors.{q}]"))
            .replace("[metrics.cost]", &format!("[metrics.{q}]"))
            .replace("own = ", &format!("{q} = "))
            .replace("[settings.x]", &format!("[settings.{q}]"))
            .replace("run = \"other\"", &format!("run = {q}"))
            .replace("key = \"k\"", &format!("key = {q}"));
        let mut files = site("word");
        for (path, bytes) in &mut files {
            if path == "data/e/experiment.toml" {
                *bytes = definition.clone().into_bytes();
            }
        }
        let (built, _) = bodies::build(&files);
        let strange: Vec<_> = look(&built).difference(&harmless).cloned().collect();
        assert!(strange.is_empty(), "{key:?} made {strange:?}");
    }
    for (field, values) in [
        (
            "slug",
            [
                "../x",
                "a/b",
                "CON",
                "a.",
                "..",
                "x\u{202e}y",
                "nul.txt",
                "\"><zq>",
                "\u{0}",
                "\u{200b}",
            ],
        ),
        (
            "aliases",
            [
                "../x",
                "a//b",
                "CON/",
                "a./",
                "..",
                "x\u{202e}y",
                "/../nul.txt",
                "\"><zq>",
                "\u{0}",
                "\u{200b}",
            ],
        ),
    ] {
        for value in values {
            let value = quoted(value);
            let value = if field == "aliases" {
                format!("[{value}]")
            } else {
                value
            };
            let text = format!("+++\ntitle = \"t\"\n{field} = {value}\n+++\nx\n");
            let (built, report) = bodies::build(&[("content/a.md".to_owned(), text.into_bytes())]);
            assert!(
                report.has_errors(),
                "{field} = {value} was taken: {:?}",
                built.artifacts.iter().map(|it| it.0).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn identifiers_of_figures_break_out_of_nothing() {
    for id in [
        "\\\"><zq onx=1>",
        "a b",
        "",
        "../x",
        "content",
        "figure-2",
        "value-1",
    ] {
        let markdown = format!(
            "```table\nid = \"{id}\"\nrows = \"a\"\n---\na,b\n1,2\n```\n\n## h {{#x\"><zq>}}\n"
        );
        let (seen, _) = page(&markdown, "escape");
        assert_eq!(seen.faults, Vec::<String>::new(), "{id}");
        assert!(!seen.shapes.iter().any(|(name, _)| name == "zq"), "{id}");
    }
}

#[test]
fn addresses_never_meet() {
    let seed = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fuzz/seeds/whole_site/addresses.txt"
    ))
    .expect("a seed");
    let (_, report) = bodies::build(&bodies::unpack(&seed));
    assert!(report.has_errors());
    // Each pair alone is told as well.
    let page = |slug: &str| format!("+++\ntitle = \"x\"\n{slug}\n+++\nx\n");
    let cases: [&[(&str, String)]; 8] = [
        &[("static/A.txt", "x".into()), ("static/a.txt", "x".into())],
        &[
            ("static/\u{e9}.txt", "x".into()),
            ("static/e\u{301}.txt", "x".into()),
        ],
        &[
            ("content/a.md", page("slug = \"b\"")),
            ("content/B.md", page("")),
        ],
        &[("content/a.md", page("aliases = [\"feed.xml/\"]"))],
        &[("content/a.md", page("aliases = [\"404.html\"]"))],
        &[("content/a.md", page("aliases = [\"b.html\", \"b.html/c\"]"))],
        &[("site.toml", "languages = [\"static\"]\n".into())],
        &[("site.toml", "languages = [\"en\", \"con\"]\n".into())],
    ];
    for case in cases {
        let files: SiteFiles = case
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes()))
            .collect();
        let (_, report) = bodies::build(&files);
        assert!(report.has_errors(), "{case:?}");
    }
}

#[test]
fn tags_keep_apart() {
    let tags = [
        "C", "C++", "C#", "!!!", "???", "...", "../..", "a/b", "a b", "CON", "\u{202e}", "É", "e",
    ];
    let list: Vec<String> = tags.iter().map(|tag| quoted(tag)).collect();
    let text = format!("+++\ntitle = \"t\"\ntags = [{}]\n+++\nx\n", list.join(", "));
    let (built, report) = bodies::build(&[("content/a.md".to_owned(), text.into_bytes())]);
    assert!(!report.has_errors(), "{}", shown(&report));
    let pages = built
        .artifacts
        .iter()
        .filter(|(path, _)| path.starts_with("en/tags/") && path.matches('/').count() == 3);
    // `É` and `e` are one tag to a reader who types without accents.
    assert_eq!(pages.count(), tags.len() - 1);
}

#[test]
fn what_a_terminal_would_obey_is_shown() {
    let evil = "\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\r\u{8}";
    let files = [
        ("site.toml", format!("titel = \"{evil}\"\n")),
        (
            "content/x.md",
            format!(
                "+++\ntitle = \"t\"\n{evil} = 1\n+++\n[a](javascript:{evil}) {{{{ {evil} }}}}\n"
            ),
        ),
        ("data/e/experiment.toml", FORMULA.replace("@L@", "\"a\"")),
        ("data/e/a.csv", format!("plan,speed,{evil}\na,{evil},1\n")),
    ];
    let files: SiteFiles = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes()))
        .collect();
    // `build` looks at every format.
    let (_, report) = bodies::build(&files);
    assert!(report.count(Severity::Error) >= 2, "{}", shown(&report));
}

/// A site of an experiment and a page, with the codes of its errors.
fn codes(definition: &str, result: (&str, String), page: &str) -> (Vec<Code>, String) {
    let definition = definition.replace("a.csv", result.0);
    let files: SiteFiles = vec![
        ("data/e/experiment.toml".to_owned(), definition.into_bytes()),
        (format!("data/e/{}", result.0), result.1.into_bytes()),
        (
            "content/a.md".to_owned(),
            format!("+++\ntitle = \"t\"\nexperiment = \"e\"\n+++\n{page}\n").into_bytes(),
        ),
    ];
    let (_, report) = bodies::build(&files);
    let errors = report
        .sorted()
        .into_iter()
        .filter(|it| it.severity == Severity::Error);
    (errors.map(|it| it.code).collect(), shown(&report))
}

/// Factors `f0`, `f1` … of numbers, each with its levels (collected for none), and a metric.
fn numbers(factors: &[usize]) -> String {
    let mut text = "title = \"t\"\nquestion = \"q\"\n".to_owned();
    for (index, &levels) in factors.iter().enumerate() {
        text += &format!("[factors.f{index}]\nlabel = \"f\"\nkind = \"number\"\n");
        if levels > 0 {
            let levels: Vec<String> = (0..levels).map(|level| level.to_string()).collect();
            text += &format!("levels = [{}]\n", levels.join(", "));
        }
    }
    text + "[metrics.m]\nlabel = \"m\"\nunit = \"points\"\nbetter = \"higher\"\n\
            [[files]]\npath = \"a.csv\"\norigin = \"measured\"\n"
}

#[test]
fn products_of_levels_are_not_gone_through() {
    let rows = "f0,f1,f2,f3,f4,f5,m\n1,1,1,1,1,1,2\n".to_owned();
    let page = "{{ cases() }} {{ missing() }}";
    let (found, _) = codes(&numbers(&[60; 6]), ("a.csv", rows), page);
    assert_eq!(found, [Code::TooManyLevels; 2]);
}

#[test]
fn figures_beyond_reading_are_refused() {
    let rows: String = (0..100_000)
        .map(|row| format!("{row},{}\n", row % 7 + 1))
        .collect();
    let page = "```chart\nkind = \"bar\"\nx = \"f0\"\n```\n\n{{ best() }} {{ count(above=1) }}";
    let (found, _) = codes(&numbers(&[0]), ("a.csv", format!("f0,m\n{rows}")), page);
    assert_eq!(found, [Code::TooManyLevels]);
}

#[test]
fn wide_and_ragged_results_take_no_room_for_what_is_not_there() {
    let names: String = (0..20_000).map(|column| format!("c{column},")).collect();
    let wide = format!("{names}f0,m\n{}1,2\n", ",".repeat(20_000));
    let (found, _) = codes(&numbers(&[0]), ("a.csv", wide), "");
    assert_eq!(found, []);
    let objects: Vec<String> = (0..5_000)
        .map(|row| format!("{{\"k{row}\": 1, \"f0\": {row}, \"m\": 1}}"))
        .collect();
    let (found, _) = codes(
        &numbers(&[0]),
        ("a.json", format!("[{}]", objects.join(","))),
        "",
    );
    assert!(found.contains(&Code::BadResultFile), "{found:?}");
}

#[test]
fn faults_in_endless_lines_are_shown_in_a_few_words() {
    let long = "9é".repeat(1_000_000);
    let rows = format!("f0,m\n1,{long}\n{long},3\n1{},2,3\n", " ".repeat(100_000));
    let page = format!("{long} {{{{ nope() }}}} [x](y.md) {long}");
    let (found, shown) = codes(&numbers(&[0]), ("a.csv", rows), &page);
    assert!(found.len() >= 4, "{shown}");
    assert!(shown.len() < 20_000, "{} bytes", shown.len());
    // The place is the one in the file, though only a few words of the line are shown.
    assert!(shown.contains("content/a.md:5:2000005"), "{shown}");
    let links = "[x](y.md)\n\n".repeat(1_000);
    let (found, shown) = codes(&numbers(&[3]), ("a.csv", "f0,m\n1,2\n".to_owned()), &links);
    assert_eq!(found.len(), 1_000);
    assert!(
        shown.contains("900 more faults of this kind in this file"),
        "{shown}"
    );
}

#[test]
fn nesting_and_repetition_end_somewhere() {
    let deep = [
        ">".repeat(20_000),
        "- ".repeat(2_000),
        "[".repeat(20_000),
        "*a **a ".repeat(3_000),
        "<b>".repeat(3_000),
        "![a".repeat(3_000),
        format!("{{{{ {}1{} }}}}", "(".repeat(20_000), ")".repeat(20_000)),
        format!("{{{{ 1{} }}}}", " | abs".repeat(3_000)),
    ];
    for text in deep {
        codes(&numbers(&[3]), ("a.csv", "f0,m\n1,2\n".to_owned()), &text);
    }
    let lists = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let anchors: String = "abcdefgh"
        .chars()
        .zip("bcdefghi".chars())
        .map(|(from, to)| {
            format!(
                "{to}: &{to} [{}]\n",
                vec![format!("*{from}"); 10].join(", ")
            )
        })
        .collect();
    for front in [
        format!("---\ntitle: {lists}\n---\n"),
        format!("---\na: &a [x, x]\n{anchors}title: t\n---\n"),
        format!("+++\ntitle = {lists}\n+++\n"),
        format!("+++\n{} = 1\n+++\n", vec!["a"; 20_000].join(".")),
    ] {
        let (_, report) = bodies::build(&[("content/a.md".to_owned(), front.into_bytes())]);
        assert!(report.has_errors());
    }
    let definition = format!(
        "{}[metrics.d]\nlabel = \"d\"\nunit = \"points\"\nderived = \"{}m / f0{}\"\n",
        numbers(&[3]),
        "(".repeat(20_000),
        ")".repeat(20_000)
    );
    let (found, _) = codes(&definition, ("a.csv", "f0,m\n1,2\n".to_owned()), "");
    assert!(!found.is_empty());
}

#[test]
fn a_file_name_makes_no_line_of_its_own() {
    let mut report = Report::new();
    let path = "static/a\nerror[bad-toml]: forged\u{1b}[2J";
    report.push(Diagnostic::new(Code::UnsafePath, format!("`{path}` is bad")).in_file(path));
    for format in [
        Format::Human { colour: false },
        Format::Json,
        Format::GitHub,
    ] {
        let shown = benchbook::diag::render(&report, format);
        assert!(
            !shown
                .lines()
                .any(|line| line.starts_with("error[bad-toml]")),
            "{shown}"
        );
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
}
