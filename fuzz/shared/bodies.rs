//! What is done with any bytes: shared by the fuzzer and by the tests on stable.
#![allow(dead_code, unreachable_pub)] // Each target uses one of them, as a module of its own.

use benchbook::config::{self, Config};
use benchbook::content::{self, Expression, RawHtml, highlight, set_translated_from};
use benchbook::data;
use benchbook::diag::{self, Code, Format, Report, Source, Span};
use benchbook::pipeline::{self, Built, Options};
use benchbook::source::{self, File, Files};
use benchbook::text::Lang;

/// Takes any bytes and panics when something is wrong with what became of them.
pub type Body = fn(&[u8]);

/// Every body by name.
pub const BODIES: [(&str, Body); 9] = [
    ("markdown", markdown),
    ("expression", expression),
    ("csv", csv),
    ("definition", definition),
    ("gbak", gbak),
    ("time", time),
    ("json", json),
    ("config", config),
    ("whole_site", whole_site),
];

/// A page of any text, its front matter in either notation, and its blocks.
pub fn markdown(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut report = Report::new();
    for raw in [RawHtml::Escape, RawHtml::Sanitize] {
        for head in ["", "+++\ntitle = \"t\"\n+++\n"] {
            let page = Source::new("content/a.md", format!("{head}{text}"));
            let read = content::read(&page, raw, &mut report);
            if let Some(document) = read {
                // A stamped page reads as the same page.
                let stamped = set_translated_from(&page.text, "0123456789abcdef");
                let again = content::read(&Source::new("content/a.md", stamped), raw, &mut report);
                assert_eq!(Some(document.pieces), again.map(|it| it.pieces));
            }
        }
    }
    let line = Source::new("content/a.md", text.as_str());
    content::fragment(&text, &Span::new(&line, 0..text.len()), &mut report);
    for language in ["rust", "sql", "bash", "toml", "json", "diff", "python"] {
        highlight::highlight(&text, language);
    }
    shows(&report);
}

/// An expression by itself, as a claim's condition, and worked out on a page.
pub fn expression(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = Source::new("content/a.md", text.as_str());
    let span = Span::new(&source, 0..text.len());
    let mut report = Report::new();
    if let Some(expression) = Expression::parse(&span, &mut report)
        && !report.has_errors()
    {
        let canonical = expression.canonical();
        let source = Source::new("content/a.md", canonical.as_str());
        let span = Span::new(&source, 0..canonical.len());
        let again = Expression::parse(&span, &mut report).map(|it| it.canonical());
        // It has a parenthesis for each operator, which may be more than anyone may write.
        if let Some(again) = again {
            assert_eq!(again, canonical, "written anew, it reads as another");
        }
    }
    Expression::parse_claim(&span, &mut report);
    shows(&report);
    let page = format!(
        "+++\ntitle = \"t\"\nexperiment = \"e\"\n+++\n{{{{ {text} }}}}\n\n{{% claim {text} %}}x{{% end %}}\n"
    );
    builds(&[
        ("content/a.md", page.as_bytes()),
        DEFINITION,
        ("data/e/a.csv", ROWS),
    ]);
}

const ROWS: &[u8] = b"plan,threads,speed\nfast,1,2.5\nfast,2,3\nslow,1,1..2\nslow,2,> 600\n";

const DEFINITION: (&str, &[u8]) = (
    "data/e/experiment.toml",
    br#"title = "t"
question = "q"
[factors.plan]
label = "plan"
kind = "nominal"
levels = ["fast", "slow"]
[factors.threads]
label = "threads"
kind = "number"
[metrics.speed]
label = "speed"
unit = "s"
better = "higher"
[settings.x]
value = "1"
[[files]]
path = "a.csv"
origin = "measured"
"#,
);

/// A table of results, beside a definition and inside a page.
pub fn csv(bytes: &[u8]) {
    builds(&[DEFINITION, ("data/e/a.csv", bytes)]);
    let text = String::from_utf8_lossy(bytes).into_owned();
    let page = Source::new("content/a.md", text.as_str());
    let mut report = Report::new();
    let lines: Vec<Span> = (1..=text.lines().count())
        .map(|line| Span::line(&page, line))
        .collect();
    data::inline::read(&lines, &mut report);
    shows(&report);
}

/// A definition with a translation of itself beside it.
pub fn definition(bytes: &[u8]) {
    builds(&[
        ("site.toml", b"languages = [\"en\", \"de\"]\n"),
        ("data/e/experiment.toml", bytes),
        ("data/e/experiment.de.toml", bytes),
        ("data/e/a.csv", ROWS),
    ]);
}

/// A log of Firebird's `gbak`.
pub fn gbak(bytes: &[u8]) {
    result_file(
        "gbak",
        "steps = \"plan\"\nmetrics = { delta = \"speed\" }\n",
        bytes,
    );
}

/// What `time` prints.
pub fn time(bytes: &[u8]) {
    result_file(
        "time",
        "metrics = { real = \"speed\" }\nset = { plan = \"fast\" }\n",
        bytes,
    );
}

/// Results in JSON, as one list or one object a line.
pub fn json(bytes: &[u8]) {
    result_file("json", "", bytes);
    result_file("jsonl", "", bytes);
}

fn result_file(format: &str, entry: &str, bytes: &[u8]) {
    let (path, definition) = DEFINITION;
    let mut definition = String::from_utf8_lossy(definition).replace("a.csv", "a.log");
    definition.push_str(&format!("format = \"{format}\"\n{entry}"));
    builds(&[(path, definition.as_bytes()), ("data/e/a.log", bytes)]);
}

/// Settings, addresses, language tags and interface words.
pub fn config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut report = Report::new();
    let read = Config::read(&Source::new("site.toml", text.as_str()), &mut report);
    assert!(!read.languages.is_empty());
    shows(&report);
    if let Ok(address) = config::base_url(&text) {
        assert!(!address.contains(|letter: char| letter.is_whitespace() || letter.is_control()));
    }
    if let Some(lang) = Lang::parse(&text) {
        assert_eq!(Lang::parse(lang.tag()), Some(lang));
    }
    builds(&[("site.toml", bytes), ("templates/locale/en.toml", bytes)]);
}

/// A whole site in one text: a line `=== path` begins each of its files.
pub fn whole_site(bytes: &[u8]) {
    build(&unpack(bytes));
}

/// The files of a site in one text.
pub fn unpack(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_prefix(b"=== ") {
            Some(path) => {
                let path = String::from_utf8_lossy(path).trim().to_owned();
                files.push((path, Vec::new()));
            }
            None => {
                if let Some((_, content)) = files.last_mut() {
                    content.extend_from_slice(line);
                }
            }
        }
    }
    files
}

fn builds(files: &[(&str, &[u8])]) {
    let files: Vec<(String, Vec<u8>)> = files
        .iter()
        .map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()))
        .collect();
    build(&files);
}

/// Builds a site from files whose names a disk could hold, and checks all that comes out.
pub fn build(files: &[(String, Vec<u8>)]) -> (Built, Report) {
    let mut report = Report::new();
    let mut site = Files::default();
    for (path, bytes) in files {
        let parts = || path.split('/');
        if source::reserved(path).is_some()
            || parts().any(|part| part.is_empty() || part.starts_with('.'))
        {
            continue;
        }
        let file: File = source::decode(path, bytes.clone(), &mut report);
        site.insert(path.clone(), file);
    }
    let options = Options {
        base_url: Some("https://example.org/site/".to_owned()),
        drafts: true,
        ..Options::default()
    };
    let built = pipeline::build(&site, &options, &mut report);
    shows(&report);
    // What a site with faults would look like is never written; its paths are safe all the same.
    let mut seen = std::collections::BTreeSet::new();
    for (path, _) in built.artifacts.iter() {
        assert!(safe(path), "an unsafe path: {path:?}");
        assert!(
            seen.insert(path.to_lowercase()) || report.has_errors(),
            "two files at {path:?}"
        );
    }
    (built, report)
}

/// Whether a path stays in its folder, on every system.
pub fn safe(path: &str) -> bool {
    source::reserved(path).is_none()
        && path
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && part.len() <= 255)
}

/// Shows a report in every format: nothing in it may steer a terminal.
pub fn shows(report: &Report) {
    for diagnostic in report.sorted() {
        assert!(Code::ALL.contains(&diagnostic.code));
        for label in &diagnostic.labels {
            assert!(label.span.range.start <= label.span.range.end);
            label.span.text();
        }
    }
    for format in [
        Format::Human { colour: false },
        Format::Json,
        Format::GitHub,
    ] {
        let shown = diag::render(report, format);
        let steers = |letter: char| {
            (letter.is_control() && !matches!(letter, '\n' | '\t'))
                || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!shown.contains(steers), "{format:?} shows {shown:?}");
    }
}
