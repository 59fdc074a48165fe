//! Tests of the catalogs: how they are read, and that the built-in ones are complete.

use super::*;
use crate::text::{Argument, Language};
use proptest::prelude::*;

fn load(files: &[(&str, &str)]) -> (Catalogs, Report) {
    let files: Vec<_> = files
        .iter()
        .map(|(tag, text)| {
            let lang = Lang::parse(tag).expect("a tag");
            (lang, Source::new(format!("locale/{tag}.toml"), *text))
        })
        .collect();
    let mut report = Report::new();
    let catalogs = Catalogs::load(&files, &mut report);
    (catalogs, report)
}

fn faults(report: &Report) -> Vec<(Code, &str)> {
    report
        .sorted()
        .into_iter()
        .map(|it| {
            (
                it.code,
                it.labels.first().map_or("", |label| label.span.text()),
            )
        })
        .collect()
}

fn language(catalogs: &Catalogs, tag: &str) -> Language {
    Language::new(Lang::parse(tag).expect("a tag"), catalogs)
}

#[test]
fn the_built_in_catalogs_are_faultless_and_complete() {
    let files = built_in();
    let tags: Vec<_> = files.iter().map(|(lang, _)| lang.tag()).collect();
    assert_eq!(tags, ["de", "en", "ru", "vi"]);
    let mut report = Report::new();
    Catalogs::load(&files, &mut report);
    let text = crate::diag::render(&report, crate::diag::Format::Human { colour: false });
    assert_eq!(text, "");
}

#[test]
fn plural_forms_are_those_of_the_language() {
    let catalogs = Catalogs::default();
    for (tag, wanted) in [
        ("en", &["one"][..]),
        ("de", &["one"]),
        ("ru", &["one", "few", "many"]),
    ] {
        let lang = Lang::parse(tag).expect("a tag");
        for (key, message) in &catalogs.languages[&lang] {
            let forms: BTreeSet<_> = message
                .forms
                .iter()
                .map(|(it, _)| format!("{it:?}").to_lowercase())
                .collect();
            if message.is_plural() {
                assert_eq!(
                    forms,
                    wanted.iter().map(|it| (*it).to_owned()).collect(),
                    "{tag} {key}"
                );
            }
        }
    }
}

#[test]
fn no_message_is_forgotten_in_english() {
    // Where nothing differs, the word is the same in both languages.
    const SAME: [&str; 15] = [
        "alert-",
        "block-",
        "boundary",
        "download",
        "experiment",
        "feed",
        "language-",
        "legend",
        "n-equals",
        "per",
        "quantity",
        "range",
        "statistic-m",
        "unit-",
        "state-original",
    ];
    let catalogs = Catalogs::default();
    let all = |tag| &catalogs.languages[&Lang::parse(tag).expect("a tag")];
    for tag in ["de", "ru", "vi"] {
        for (key, message) in all(tag) {
            let words = message.other().split_whitespace().count();
            let may_be_same = words < 3 || SAME.iter().any(|same| key.starts_with(same));
            let english = all("en").get(key).map(Message::other);
            assert!(
                may_be_same || english != Some(message.other()),
                "`{key}` is still English in {tag}"
            );
        }
    }
}

#[test]
fn date_patterns_have_placeholders_of_their_own() {
    let (_, report) = load(&[(
        "de",
        "date-day = \"{day}. {month}\"\ndate-week = \"{week}\"",
    )]);
    assert_eq!(
        faults(&report),
        [
            (Code::BadMessage, "\"{day}. {month}\""),
            (Code::BadMessage, "date-week"),
        ]
    );
}

#[test]
fn later_words_win() {
    let (catalogs, report) = load(&[
        ("en", "home = \"Start\"\nown-words = \"Mine\""),
        ("en", "home = \"Begin\""),
        (
            "de",
            "own-words = \"Meine\"\nunit-orders = \"Bestellungen\"",
        ),
    ]);
    assert_eq!(faults(&report), []);
    assert_eq!(language(&catalogs, "en").message("home"), "Begin");
    assert_eq!(language(&catalogs, "de").message("own-words"), "Meine");
    assert_eq!(language(&catalogs, "de").message("home"), "Startseite");
}

#[test]
fn words_fall_back_to_the_parent_language_and_to_english() {
    let (catalogs, report) = load(&[("de-AT", "january = \"Jänner\"\nhome = \"Anfang\"")]);
    assert_eq!(faults(&report), [(Code::BadMessage, "january")]);
    let austrian = language(&catalogs, "de-AT");
    assert_eq!(austrian.message("home"), "Anfang");
    assert_eq!(austrian.message("next"), "Weiter");
    let french = language(&catalogs, "fr");
    assert_eq!(french.message("next"), "Next");
    assert_eq!(french.message("no-such-key"), "no-such-key");
    // English words keep English plurals: in French, 0 would take the singular.
    assert_eq!(
        french.message_with("runs-count", &[("n", Argument::Count(0))]),
        "0 runs"
    );
    assert_eq!(french.name(), "fr");
}

#[test]
fn reports_what_does_not_fit() {
    let (_, report) = load(&[(
        "ru",
        "hoome = \"Дом\"\n\
         figure-number = \"Рисунок {nummer}\"\n\
         runs-count = { one = \"{n} прогон\", some = \"x\" }\n\
         next = 3\n\
         page = { other = 1 }\n",
    )]);
    assert_eq!(
        faults(&report),
        [
            (Code::BadMessage, "hoome"),
            (Code::BadMessage, "\"Рисунок {nummer}\""),
            (Code::BadMessage, "{ one = \"{n} прогон\", some = \"x\" }"),
            (Code::BadMessage, "some"),
            (Code::BadMessage, "3"),
            (Code::BadMessage, "{ other = 1 }"),
            (Code::BadMessage, "1"),
        ]
    );
    let text = crate::diag::render(&report, crate::diag::Format::Human { colour: false });
    assert!(text.contains("did you mean `home`?"), "{text}");
    assert!(
        text.contains("`{nummer}`") && text.contains("`{number}`"),
        "{text}"
    );
}

#[test]
fn reports_missing_words_once_a_language() {
    let (catalogs, report) = load(&[("fr", "home = \"Accueil\"\n")]);
    assert_eq!(faults(&report), [(Code::MissingMessage, "")]);
    let text = crate::diag::render(&report, crate::diag::Format::Human { colour: false });
    assert!(text.contains("the catalog of `fr` lacks"), "{text}");
    assert_eq!(language(&catalogs, "fr").message("home"), "Accueil");
}

#[test]
fn reports_broken_toml_and_keeps_the_rest() {
    let (catalogs, report) = load(&[("de", "home = \"Anfang\"\nnext = \n")]);
    assert_eq!(
        faults(&report).first().map(|(code, _)| *code),
        Some(Code::BadToml)
    );
    assert_eq!(language(&catalogs, "de").message("home"), "Anfang");
}

proptest! {
    #[test]
    fn reading_never_panics(text in "\\PC{0,40}") {
        load(&[("en", &text)]);
    }
}
