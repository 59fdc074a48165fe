//! Tidy and wide tables, JSON, levels, repetitions.

use super::{SMALL, exact, load_clean, observations, result, value};
use crate::model::{MissingReason, Value};

fn with(entry: &str) -> String {
    format!("{SMALL}[[files]]\npath = \"f\"\norigin = \"imported\"\n{entry}")
}

fn entry(path: &str) -> String {
    format!("{SMALL}[[files]]\npath = \"{path}\"\n")
}

#[test]
fn tidy_tables_with_commas_semicolons_and_tabs() {
    for (path, sign) in [
        ("a.csv", ","),
        ("b.csv", ";"),
        ("c.tsv", "\t"),
        ("d.csv", "\t"),
    ] {
        let text = "threads|plan|speed|wait\n8|balanced|812.5|1.5\n4|high-performance|900|2 s\n";
        let text = text.replace('|', sign);
        let experiment = load_clean(&entry(path), &[(path, &text)]);
        assert_eq!(exact(&experiment, "speed", &["8", "balanced"]), 812.5);
        assert_eq!(exact(&experiment, "wait", &["8", "balanced"]), 0.0015);
        assert_eq!(exact(&experiment, "wait", &["4", "high-performance"]), 2.0);
        let threads = &experiment.definition.factors[0].levels;
        let keys: Vec<&str> = threads.iter().map(|level| &*level.key).collect();
        assert_eq!(keys, ["4", "8"], "collected levels ascend");
    }
}

#[test]
fn line_ends_blank_lines_quotes_and_places() {
    let text = "threads,plan,speed\r\n\r\n8,\"balanced\",\"1,5\"\r\n\r\n4, balanced ,\"2,5\"";
    let experiment = load_clean(&with("decimal = \",\"\nformat = \"csv\""), &[("f", text)]);
    assert_eq!(exact(&experiment, "speed", &["8", "balanced"]), 1.5);
    let found = observations(&experiment, "speed", &["4", "balanced"]);
    assert_eq!(found[0].place.line, 5);
}

#[test]
fn levels_by_alias_and_by_value() {
    let text = "threads,plan,speed\n8.0,Ausbalanciert,1\n8,high-performance,2\n";
    let experiment = load_clean(&entry("a.csv"), &[("a.csv", text)]);
    assert_eq!(experiment.definition.factors[0].levels.len(), 1);
    assert_eq!(exact(&experiment, "speed", &["8", "balanced"]), 1.0);
}

#[test]
fn repetitions_numbered_and_counted() {
    let numbered = "threads,plan,replicate,speed\n8,balanced,0,1\n8,balanced,1,2\n";
    let experiment = load_clean(&entry("a.csv"), &[("a.csv", numbered)]);
    let replicates: Vec<u32> = observations(&experiment, "speed", &["8", "balanced"])
        .iter()
        .map(|observation| observation.replicate)
        .collect();
    assert_eq!(replicates, [0, 1]);
    let counted = "threads,plan,speed\n8,balanced,1\n8,balanced,2\n";
    let definition = entry("a.csv") + "replicates = true\n";
    let experiment = load_clean(&definition, &[("a.csv", counted)]);
    assert_eq!(
        observations(&experiment, "speed", &["8", "balanced"])[1].replicate,
        1
    );
}

#[test]
fn columns_are_renamed_ignored_and_fixed() {
    let text = "Zahl,Remark,tps\n8,fine,1\n";
    let definition = with(
        "columns = { \"Zahl\" = \"threads\", \"tps\" = \"speed\", \"Remark\" = \"-\" }\nset = { plan = \"balanced\" }\nformat = \"csv\"\n",
    );
    let experiment = load_clean(&definition, &[("f", text)]);
    assert_eq!(exact(&experiment, "speed", &["8", "balanced"]), 1.0);
}

#[test]
fn reasons_in_a_column_of_their_own() {
    let text = "threads,plan,speed,wait,status,note\n\
        1,balanced,,,failed,disk full\n2,balanced,1,> 600 s,timeout,\n4,balanced,7,8,excluded,cold\n";
    let experiment = load_clean(&entry("a.csv"), &[("a.csv", text)]);
    let failed = result(&experiment, "speed", &["1", "balanced"])
        .clone()
        .expect_err("failed");
    assert_eq!(failed.reason, MissingReason::Failed);
    assert_eq!(failed.note.expect("a note").source(), "disk full");
    assert_eq!(
        value(&experiment, "wait", &["2", "balanced"]),
        Value::Above(600.0)
    );
    let excluded = result(&experiment, "wait", &["4", "balanced"])
        .clone()
        .expect_err("excluded");
    assert_eq!(excluded.reason, MissingReason::Excluded);
}

#[test]
fn json_in_its_three_shapes() {
    let list = r#"[{"threads": 8, "plan": "balanced", "speed": 1.5},
 {"threads": 4, "plan": "balanced", "wait": "2 s"}]"#;
    let rows = format!("{{\"tool\": \"x\", \"rows\": {list}}}");
    let lines = "{\"threads\": 8, \"plan\": \"balanced\", \"speed\": 1.5}\n\
        {\"threads\": 4, \"plan\": \"balanced\", \"wait\": \"2 s\"}\n";
    for (path, text) in [
        ("a.json", list),
        ("b.json", &*rows),
        ("c.jsonl", lines),
        ("d", lines),
    ] {
        let experiment = load_clean(&entry(path), &[(path, text)]);
        assert_eq!(exact(&experiment, "speed", &["8", "balanced"]), 1.5);
        assert_eq!(exact(&experiment, "wait", &["4", "balanced"]), 2.0);
        assert_eq!(
            observations(&experiment, "wait", &["4", "balanced"])[0]
                .place
                .line,
            2
        );
        assert_eq!(experiment.observations.len(), 2);
    }
}

#[test]
fn derived_values_keep_their_case_and_repetition() {
    let definition = entry("a.csv")
        .replace("[[files]]", "[metrics.each]\nlabel = \"Each\"\nunit = \"ops/s\"\nderived = \"speed / threads\"\n[[files]]")
        + "replicates = true\n";
    let text =
        "threads,plan,speed\n8,balanced,80\n8,balanced,> 160\n4,balanced,failed\n2,balanced,2..4\n";
    let experiment = load_clean(&definition, &[("a.csv", text)]);
    let each = observations(&experiment, "each", &["8", "balanced"]);
    assert_eq!(
        each[0].result.as_ref().expect("a value").value,
        Value::Exact(10.0)
    );
    assert_eq!(
        each[1].result.as_ref().expect("a value").value,
        Value::Above(20.0)
    );
    assert_eq!((each[1].replicate, each[1].place.line), (1, 3));
    assert!(result(&experiment, "each", &["4", "balanced"]).is_err());
    assert_eq!(
        value(&experiment, "each", &["2", "balanced"]),
        Value::Range(1.0, 2.0)
    );
}

#[test]
fn runs_stay_apart_and_are_sorted() {
    let definition = format!(
        "{SMALL}[environment]\ncpu = \"A\"\n\
        [[files]]\npath = \"a.csv\"\norigin = \"published\"\nrun = \"second\"\n\
        [[files]]\npath = \"b.csv\"\norigin = \"imported\"\nrun = \"first\"\n[files.environment]\ncpu = \"B\"\n"
    );
    let text = "threads,plan,speed\n8,balanced,1\n";
    let experiment = load_clean(&definition, &[("a.csv", text), ("b.csv", text)]);
    let keys: Vec<&str> = experiment.runs.iter().map(|run| &*run.key).collect();
    assert_eq!(keys, ["first", "second"]);
    assert_eq!(
        experiment.runs[0]
            .environment
            .get("cpu")
            .expect("a fact")
            .source(),
        "B"
    );
    let runs: Vec<u32> = experiment.observations.iter().map(|it| it.run).collect();
    assert_eq!(runs, [1, 0]);
}

#[test]
fn experiments_are_read_in_the_order_of_their_keys() {
    let mut site = crate::source::Files::default();
    for key in ["z", "a/b", "a", "m"] {
        let path = format!("data/{key}/experiment.toml");
        let source = crate::diag::Source::new(path.clone(), SMALL.replace("Small", key));
        site.insert(path, crate::source::File::Text(source));
    }
    let mut report = crate::diag::Report::new();
    let all = crate::data::load(&site, &[], &mut report);
    let keys: Vec<&str> = all.iter().map(|it| &*it.definition.key).collect();
    assert_eq!(keys, ["a", "a/b", "m", "z"]);
    assert!(
        all.iter()
            .all(|it| it.definition.title.source() == it.definition.key)
    );
}

#[test]
fn many_repetitions_and_many_levels() {
    let mut text = "threads,plan,replicate,speed\n".to_owned();
    for row in 0..20_000 {
        text += &format!("{},balanced,{},{}.25\n", row % 64, row / 64, row * 7 % 1000);
    }
    let experiment = load_clean(&entry("a.csv"), &[("a.csv", &text)]);
    assert_eq!(experiment.observations.len(), 20_000);
    // Each row may bring a level of its own, and none is looked for by going through the others.
    let mut text = "threads,plan,speed\n".to_owned();
    for row in 0..100_000 {
        text += &format!("{row},balanced,1\n");
    }
    let experiment = load_clean(&entry("a.csv"), &[("a.csv", &text)]);
    assert_eq!(experiment.definition.factors[0].levels.len(), 100_000);
}
