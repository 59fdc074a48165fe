//! Every fault of a result file, with the exact place under its caret.

use super::{SMALL, faults, load, shown};
use crate::diag::{Code, Severity};

/// Reads one CSV file and gives the faults.
fn csv(entry: &str, text: &str) -> (Vec<(Code, String)>, String) {
    let definition = format!("{SMALL}[[files]]\npath = \"f.csv\"\n{entry}");
    let (_, report) = load(&definition, &[("f.csv", text)]);
    (faults(&report), shown(&report))
}

/// Reads one CSV file that has one fault, and gives what is shown of it.
fn only(code: Code, under: &str, entry: &str, text: &str) -> String {
    let (found, shown) = csv(entry, text);
    assert_eq!(found, [(code, under.to_owned())], "{shown}");
    shown
}

#[test]
fn cells() {
    let cell = |code, cell: &str| {
        let text = format!("threads,plan,speed,wait\n8,balanced,1,{cell}\n");
        only(code, cell.trim_matches('"'), "", &text)
    };
    for word in ["nan", "NaN", "inf", "-inf", "1e400", "about five"] {
        assert!(cell(Code::BadNumber, word).contains("reason"));
    }
    let comma = "threads;plan;speed;wait\n8;balanced;1;12,5\n";
    assert!(only(Code::DecimalComma, "12,5", "", comma).contains("decimal = \",\""));
    cell(Code::WrongUnit, "12 MiB");
    cell(Code::BadQuantity, "12 s 5");
    assert!(cell(Code::BadQuantity, "-1").contains("negative"));
    assert!(cell(Code::BadQuantity, "5..2").contains("smaller number first"));
    let shown = only(
        Code::BadNumber,
        "",
        "",
        "threads,plan,speed,wait\n8,balanced,1,\n",
    );
    assert!(
        shown.contains("missing = { \"\" = \"not-run\" }"),
        "{shown}"
    );
    assert!(shown.contains("f.csv:2:14"), "{shown}");
}

#[test]
fn a_wrong_unit_shows_both_places() {
    let text = "threads,plan,wait\n8,balanced,5 MiB\n";
    let shown = only(Code::WrongUnit, "5 MiB", "", text);
    assert!(
        shown.contains("f.csv:2:12") && shown.contains("experiment.toml:15"),
        "{shown}"
    );
}

#[test]
fn levels() {
    let text = "threads,plan,speed\n8,balancd,1\n4,high-performance,2\n";
    let shown = only(Code::UnknownLevel, "balancd", "", text);
    assert!(shown.contains("did you mean `balanced`?"), "{shown}");
    assert!(
        shown.contains("f.csv:2:3") && shown.contains("experiment.toml:6"),
        "{shown}"
    );
    only(
        Code::BadNumber,
        "eight",
        "",
        "threads,plan,speed\neight,balanced,1\n",
    );
    only(Code::UnknownLevel, "", "", "threads,plan,speed\n8,,1\n");
    let shown = only(
        Code::UnknownLevel,
        "\"silent\"",
        "set = { plan = \"silent\" }\n",
        "threads,speed\n8,1\n",
    );
    assert!(shown.contains("experiment.toml:"), "{shown}");
}

#[test]
fn columns() {
    let shown = only(
        Code::UnmappedColumn,
        "weight",
        "",
        "threads,plan,speed,weight\n8,balanced,1,2\n",
    );
    assert!(
        shown.starts_with("warning") && shown.contains("\"weight\" = \"-\""),
        "{shown}"
    );
    let (found, shown) = csv("", "Threads,plan,speed\n8,balanced,1\n");
    assert_eq!(
        found,
        [
            (Code::MissingColumn, "\"f.csv\"".to_owned()),
            (Code::UnmappedColumn, "Threads".to_owned()),
        ]
    );
    assert!(
        shown.contains("columns = { \"Threads\" = \"threads\" }"),
        "{shown}"
    );
    let shown = only(
        Code::MissingColumn,
        "Thread",
        "columns = { \"Thread\" = \"threads\" }\n",
        "threads,plan,speed\n8,balanced,1\n",
    );
    assert!(shown.contains("did you mean `threads`?"), "{shown}");
    only(
        Code::MissingColumn,
        "\"f.csv\"",
        "",
        "threads,plan\n8,balanced\n",
    );
    let shown = only(
        Code::BadDefinition,
        "\"sped\"",
        "columns = { \"tps\" = \"sped\" }\n",
        "threads,plan,wait,tps\n8,balanced,1,1\n",
    );
    assert!(shown.contains("did you mean `speed`?"), "{shown}");
    only(
        Code::BadResultFile,
        "speed",
        "",
        "threads,plan,speed,speed\n8,balanced,1,1\n",
    );
}

#[test]
fn rows() {
    let text = "threads,plan,speed\n8,balanced,1\n4,balanced\n2,balanced,1,2\n";
    let (found, shown) = csv("", text);
    assert_eq!(
        found,
        [
            (Code::RaggedRow, "4,balanced".to_owned()),
            (Code::RaggedRow, "2,balanced,1,2".to_owned()),
        ]
    );
    assert!(
        shown.contains("2 cells") && shown.contains("between quotation marks"),
        "{shown}"
    );
    only(
        Code::BadResultFile,
        "\"",
        "",
        "threads,plan,speed\n8,balanced,1\n4,\"balanced,2\n",
    );
    let twice = "threads,plan,speed\n8,balanced,1\n8.0,balanced,2\n";
    let shown = only(Code::DuplicateCase, "2", "", twice);
    assert!(
        shown.contains("first here") && shown.contains("replicates = true"),
        "{shown}"
    );
    let numbered = "threads,plan,replicate,speed\n8,balanced,1,1\n8,balanced,1,2\n";
    assert!(only(Code::DuplicateCase, "2", "", numbered).contains("same replicate"));
    only(
        Code::BadNumber,
        "one",
        "",
        "threads,plan,replicate,speed\n8,balanced,one,1\n",
    );
    only(
        Code::BadResultFile,
        "failed",
        "",
        "threads,plan,speed,status\n8,balanced,1,failed\n",
    );
    let shown = only(
        Code::BadResultFile,
        "faild",
        "",
        "threads,plan,speed,status\n8,balanced,,faild\n",
    );
    assert!(shown.contains("did you mean `failed`?"), "{shown}");
}

#[test]
fn a_kind_that_repeats_is_counted_not_listed() {
    let rows: String = (0..1000).map(|row| format!("{row},balanced,x\n")).collect();
    let (found, shown) = csv("", &format!("threads,plan,speed\n{rows}"));
    assert_eq!(found.len(), 21);
    assert!(shown.contains("980 more faults of this kind"), "{shown}");
}

#[test]
fn files() {
    only(Code::EmptyFile, "\"f.csv\"", "", " \n\n");
    only(Code::EmptyFile, "\"f.csv\"", "", "threads,plan,speed\n");
    let definition = |path: &str| format!("{SMALL}[[files]]\npath = \"{path}\"\n");
    let text = "threads,plan,speed\n8,balanced,1\n";
    let (_, report) = load(&definition("result.csv"), &[("results.csv", text)]);
    assert_eq!(
        faults(&report),
        [(Code::MissingDataFile, "\"result.csv\"".to_owned())]
    );
    assert!(shown(&report).contains("did you mean `results.csv`?"));
    let (_, report) = load(&definition("../x.csv"), &[]);
    assert_eq!(faults(&report)[0].0, Code::UnsafePath);
    let (_, report) = load(&definition("notes"), &[("notes", "just some words\n")]);
    assert_eq!(
        faults(&report),
        [(Code::UnknownFormat, "\"notes\"".to_owned())]
    );
    assert!(shown(&report).contains("`gbak`, `time`, `json`"));
}

#[test]
fn files_that_are_no_text() {
    let mut site = crate::source::Files::default();
    // One with a text's ending is reported when the folder is read, and not again here.
    let definition = format!("{SMALL}[[files]]\npath = \"f.csv\"\n[[files]]\npath = \"f.xlsx\"\n");
    let source = crate::diag::Source::new("data/e/experiment.toml", definition);
    site.insert("data/e/experiment.toml", crate::source::File::Text(source));
    for path in ["data/e/f.csv", "data/e/f.xlsx"] {
        site.insert(path, crate::source::File::Bytes([0xff, 0xfe].into()));
    }
    let mut report = crate::diag::Report::new();
    let all = crate::data::load(&site, &[], &mut report);
    assert_eq!(all.len(), 1);
    assert_eq!(
        faults(&report),
        [(Code::UnknownFormat, "\"f.xlsx\"".to_owned())]
    );
}

#[test]
fn json() {
    let read = |path: &str, text: &str| {
        let definition = format!("{SMALL}[[files]]\npath = \"{path}\"\n");
        let (_, report) = load(&definition, &[(path, text)]);
        (faults(&report), shown(&report))
    };
    let (found, shown) = read("a.json", "[\n  {\"threads\": 8,, }\n]");
    assert_eq!(found, [(Code::BadResultFile, ",".to_owned())], "{shown}");
    assert!(shown.contains("a.json:2:17"), "{shown}");
    let (found, _) = read(
        "a.json",
        r#"[{"threads": 8, "plan": "balanced", "speed": [1]}]"#,
    );
    assert_eq!(found[0], (Code::BadResultFile, "[1]".to_owned()));
    let (found, _) = read(
        "a.json",
        r#"[{"threads": 8, "plan": "balanced", "speed": 1e400}]"#,
    );
    assert_eq!(found, [(Code::BadNumber, "1e400".to_owned())]);
    let (found, _) = read(
        "a.json",
        r#"[{"threads": 8, "plan": "balanced", "speed": null}]"#,
    );
    assert_eq!(found, [(Code::BadNumber, "null".to_owned())]);
    let (found, _) = read(
        "a.jsonl",
        "{\"threads\": 8, \"speed\": 1}\n{\"plan\": \"balanced\", \"speed\": 1}\n",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|fault| fault.0 == Code::MissingColumn));
    let (found, _) = read("a.json", "{\"runs\": []}");
    assert_eq!(found[0].0, Code::BadResultFile);
}

#[test]
fn logs_say_what_can_be_had() {
    let definition = format!(
        "{SMALL}[[files]]\npath = \"f.log\"\nset = {{ threads = 1, plan = \"balanced\" }}\n"
    );
    let time = "real 0.1\nuser 0.0\nsys 0.0\n";
    let (_, report) = load(&definition, &[("f.log", time)]);
    assert_eq!(faults(&report)[0].0, Code::MissingColumn);
    assert!(shown(&report).contains("`max_rss`"));
    let (_, report) = load(
        &(definition.clone() + "metrics = { rael = \"wait\" }\n"),
        &[("f.log", time)],
    );
    assert!(
        shown(&report).contains("did you mean `real`?"),
        "{}",
        shown(&report)
    );
    let (_, report) = load(
        &(definition + "metrics = { max_rss = \"wait\" }\n"),
        &[("f.log", time)],
    );
    assert_eq!(faults(&report), [(Code::WrongUnit, "max_rss".to_owned())]);
}

#[test]
fn runs_are_never_pooled() {
    let text = "threads,plan,speed\n8,balanced,1\n";
    for (first, second, what) in [
        ("origin = \"published\"", "origin = \"imported\"", "origin"),
        (
            "[files.environment]\ncpu = \"A\"",
            "[files.environment]\ncpu = \"B\"",
            "environment",
        ),
    ] {
        let definition = format!(
            "{SMALL}[[files]]\npath = \"a.csv\"\nrun = \"r\"\n{first}\n[[files]]\npath = \"b.csv\"\nrun = \"r\"\n{second}\n"
        );
        let (experiment, report) = load(&definition, &[("a.csv", text), ("b.csv", text)]);
        assert_eq!(
            faults(&report),
            [(Code::BadDefinition, "\"b.csv\"".to_owned())]
        );
        assert!(shown(&report).contains(&format!("another {what}")));
        assert_eq!(experiment.observations.len(), 1);
    }
}

#[test]
fn nothing_is_divided_by_zero() {
    let definition = format!(
        "{SMALL}[metrics.each]\nlabel = \"Each\"\nunit = \"ops/s\"\nderived = \"speed / threads\"\n[[files]]\npath = \"f.csv\"\n"
    );
    let (_, report) = load(
        &definition,
        &[("f.csv", "threads,plan,speed\n0,balanced,1\n")],
    );
    assert_eq!(
        faults(&report),
        [(Code::DivisionByZero, "0,balanced,1".to_owned())]
    );
}

#[test]
fn overlays_for_other_languages_are_a_warning() {
    let (_, report) = load(SMALL, &[("experiment.fr.toml", "title = \"Petit\"\n")]);
    let sorted = report.sorted();
    assert_eq!(sorted[0].code, Code::UnknownLanguage);
    assert_eq!(sorted[0].severity, Severity::Warning);
}
