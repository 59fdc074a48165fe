//! Front matters: TOML and YAML, faults with places, digests and stamps.

use super::*;
use crate::content::{digest, set_translated_from};
use crate::diag::Span;

fn read_text(text: &str) -> (Option<Document>, Vec<String>) {
    let mut report = Report::new();
    let document = read(&Source::new("a.md", text), RawHtml::Escape, &mut report);
    let faults = faults(&report);
    (document, faults)
}

#[test]
fn toml_and_yaml_say_the_same() {
    let toml = "+++\ntitle = \"Größe\"\ndate = 2014-07-31\ndraft = true\nweight = -3\ntags = [\"a\", \"b\"]\nexperiment = \"x\"\n\n[[headline]]\nvalue = 'value(a=\"ü\") | bare'\nlabel = \"L\"\n+++\nBody\n";
    let yaml = "---\r\ntitle: Größe\r\ndate: 2014-07-31\r\ndraft: true\r\nweight: -3\r\ntags: [a, b]\r\nexperiment: x\r\nheadline:\r\n  - value: 'value(a=\"ü\") | bare'\r\n    label: L\r\n---\r\nBody\r\n";
    let mut digests = Vec::new();
    for text in [toml, yaml] {
        let (document, faults) = read_text(text);
        assert_eq!(faults, [""; 0]);
        let document = document.expect("a document");
        let front = &document.front;
        assert_eq!(
            (front.title.as_str(), front.date.as_deref()),
            ("Größe", Some("2014-07-31"))
        );
        assert_eq!((front.draft, front.weight), (true, Some(-3)));
        assert_eq!(
            (&front.tags[..], &front.experiments[..]),
            (&["a".to_owned(), "b".to_owned()][..], &["x".to_owned()][..])
        );
        assert_eq!(front.headlines[0].label, "L");
        assert_eq!(front.headlines[0].span.text(), "value(a=\"ü\") | bare");
        let keys: Vec<&str> = front.spans.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(front.span_of("weight").map(Span::text), Some("-3"));
        assert_eq!(
            keys,
            [
                "title",
                "date",
                "draft",
                "weight",
                "tags",
                "experiment",
                "headline"
            ]
        );
        assert_eq!(shown(&document.pieces), "<p>Body</p>\n");
        digests.push(document.digest);
    }
    assert_eq!(digests[0], digests[1]);
    assert_eq!(digests[0].len(), 16);
}

#[test]
fn faults_have_places() {
    for (text, expected) in [
        ("+++\ntitle = 3\n+++\n", vec!["bad-front-matter: 3"]),
        ("+++\ntitle = \"\"\n+++\n", vec!["bad-front-matter: \"\""]),
        ("+++\n+++\n", vec!["bad-front-matter: +++"]),
        ("", vec!["bad-front-matter: "]),
        ("# Text\n", vec!["bad-front-matter: # Text"]),
        (
            "+++\ntitle = \"ü\"\ndate = \"2015-02-29\"\n+++\n",
            vec!["bad-front-matter: \"2015-02-29\""],
        ),
        (
            "+++\ntitle = \"ü\"\ndate = 2015-02-28T10:00:00\n+++\n",
            vec!["bad-front-matter: 2015-02-28T10:00:00"],
        ),
        (
            "+++\ntitle = \"ü\"\nupdated = \"2015-2-8\"\n+++\n",
            vec!["bad-front-matter: \"2015-2-8\""],
        ),
        (
            "+++\r\ntitle = \"ü\"\r\ntagz = 1\r\n+++\r\n",
            vec!["unknown-key: tagz"],
        ),
        (
            "+++\ntitle = \"ü\"\ntags = [\"a\", 1]\n+++\n",
            vec!["bad-front-matter: 1"],
        ),
        (
            "+++\ntitle = \"ü\"\nslug = \"a/b\"\n+++\n",
            vec!["bad-front-matter: \"a/b\""],
        ),
        (
            "+++\ntitle = \"ü\"\nexperiment = \"a\"\nexperiments = [\"b\"]\n+++\n",
            vec!["bad-front-matter: experiments | \"a\""],
        ),
        (
            "+++\ntitle = \"ü\"\nheadline = 1\n+++\n",
            vec!["bad-front-matter: 1"],
        ),
        (
            "+++\ntitle = \"ü\"\n[[headline]]\nvalue = \"v\"\nlable = \"x\"\n+++\n",
            vec!["bad-front-matter: [[headline]]", "unknown-key: lable"],
        ),
        ("+++\ntitle = \"ü\"\n", vec!["unclosed-front-matter: +++"]),
        ("+++\ntitle = ü\n+++\n", vec!["bad-toml: ü"]),
        (
            "---\ntitle: ü\ndate: 2015-02-29\n---\n",
            vec!["bad-front-matter: 2015-02-29"],
        ),
        ("---\ntitle: ü\nnope: x\n---\n", vec!["unknown-key: nope"]),
        ("---\ntitle: 5\n---\n", vec!["bad-front-matter: 5"]),
        (
            "---\ntitle: ü\ntags: [a, 1]\n---\n",
            vec!["bad-front-matter: 1"],
        ),
        ("---\n---\n", vec!["bad-front-matter: ---"]),
    ] {
        assert_eq!(read_text(text).1, expected, "{text}");
    }
    let (document, faults) = read_text("---\ntitle: [ü\n---\n{{ a ? }}\n");
    assert!(document.is_none());
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(
        faults[0].starts_with("bad-yaml") && faults[1] == "bad-expression: ?",
        "{faults:?}"
    );
}

#[test]
fn the_digest_counts_words_only() {
    let text = |front: &str, body: &str| {
        read_text(&format!("+++\n{front}\n+++\n{body}"))
            .0
            .expect("a document")
            .digest
    };
    let one = text("title = \"a\"", "b\nc");
    assert_eq!(
        one,
        text("title = \"a\"\nweight = 2\ntags = [\"x\"]", "b\r\nc")
    );
    assert_ne!(one, text("title = \"a\"\ndescription = \"d\"", "b\nc"));
    assert_ne!(one, text("title = \"ab\"", "\nc"));
    let (document, _) = read_text("+++\ntitle = \"a\"\n+++\nb\nc");
    assert_eq!(one, digest(&document.expect("a document").front, "b\nc"));
}

#[test]
fn stamps_touch_nothing_else() {
    for (before, after) in [
        (
            "+++\ntitle = \"a\" # t\n+++\nb",
            "+++\ntitle = \"a\" # t\ntranslated_from = \"D\"\n+++\nb",
        ),
        (
            "+++\r\ntitle = \"a\"\r\ntranslated_from='x' # y\r\n\r\n+++\r\nb\r\n",
            "+++\r\ntitle = \"a\"\r\ntranslated_from=\"D\" # y\r\n\r\n+++\r\nb\r\n",
        ),
        (
            "+++\r\ntitle = \"a\"\r\n[[headline]]\r\nvalue = \"v\"\r\n+++\r\n",
            "+++\r\ntitle = \"a\"\r\ntranslated_from = \"D\"\r\n[[headline]]\r\nvalue = \"v\"\r\n+++\r\n",
        ),
        (
            "---\ntitle: a\n---\nb",
            "---\ntitle: a\ntranslated_from: \"D\"\n---\nb",
        ),
        (
            "---\ntranslated_from: ü1 # c\ntitle: a\n---\n",
            "---\ntranslated_from: \"D\" # c\ntitle: a\n---\n",
        ),
        (
            "---\ntranslated_from:\ntitle: a\n---\n",
            "---\ntranslated_from: \"D\"\ntitle: a\n---\n",
        ),
        (
            "---\n# ü\ntranslated_from: \"x\"\n---\n",
            "---\n# ü\ntranslated_from: \"D\"\n---\n",
        ),
        ("# no front matter", "# no front matter"),
        ("+++\nbroken\n+++\n", "+++\nbroken\n+++\n"),
    ] {
        assert_eq!(set_translated_from(before, "D"), after, "{before}");
    }
}

#[test]
fn a_translation_takes_over_what_is_the_same_in_every_language() {
    let (original, _) = read_text(
        "+++\ntitle = \"a\"\ndate = 2026-11-30\ntags = [\"x\"]\nauthors = [\"b\"]\nweight = 2\n\
         experiment = \"e\"\naliases = [\"old\"]\n+++\n",
    );
    let (translation, _) = read_text("+++\ntitle = \"c\"\ntags = [\"y\"]\n+++\n");
    let (original, mut own) = (
        original.expect("a page").front,
        translation.expect("a page").front,
    );
    own.take_over(&original);
    assert_eq!(own.date.as_deref(), Some("2026-11-30"));
    assert_eq!(
        (own.title.as_str(), &*own.tags),
        ("c", &["y".to_owned()][..])
    );
    assert_eq!((own.authors, own.weight), (original.authors, Some(2)));
    assert_eq!(own.experiments, ["e"]);
    // An old address belongs to one language.
    assert!(own.aliases.is_empty());
}
