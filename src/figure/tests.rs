//! Figures state what the data hold: nothing blank, nothing invented, every tie marked.

use super::compare::{CompareRow, compare};
use super::environment::environment;
use super::fixture::{
    add, buffers, experiment, fillfactor, grid, indices, language, logs, names, repeated, text,
};
use super::markup::tests::assert_balanced;
use super::matrix::{MatrixOrder, matrix};
use super::steps::steps;
use super::table::{TableOrder, table};
use super::{Figure, Reader, format};
use crate::model::{Direction, Experiment, FactorKind, MissingReason, Value};

const ALL: TableOrder = TableOrder {
    mark_best: true,
    show_n: true,
    show_interval: true,
};

fn read<T>(experiment: &Experiment, tag: &str, figure: impl Fn(Reader<'_>) -> T) -> T {
    let language = language(tag);
    figure(Reader {
        experiment,
        language: &language,
    })
}

fn tables(experiment: &Experiment, tag: &str) -> Figure {
    read(experiment, tag, |reader| {
        table(reader, &[&grid(experiment)], ALL)
    })
}

#[test]
fn a_table_marks_every_tie_within_the_noise() {
    let figure = tables(&buffers(), "en");
    assert_balanced(&figure.body);
    // 392 is a single run: down to 5 % below it, ± 5 %, nobody can tell.
    assert_eq!(
        figure.body.matches("aria-label=\"among the best\"").count(),
        8
    );
    assert!(
        figure
            .body
            .contains("<td class=\"number\" data-value=\"299\">299 "),
        "{}",
        figure.body
    );
    assert!(
        figure.alternative.contains("Smallest: 284\u{a0}points"),
        "{}",
        figure.alternative
    );
    assert!(
        figure.alternative.contains("SuperClassic rises from 372"),
        "{}",
        figure.alternative
    );
    assert!(
        figure
            .method
            .iter()
            .any(|(_, text)| text == "one run, spread unknown")
    );
    assert!(
        figure
            .method
            .iter()
            .any(|(_, text)| text == "data/test/points.csv")
    );
}

#[test]
fn digits_follow_the_interval() {
    let figure = tables(&repeated(), "en");
    // Half the interval is about 640: tens would do, but digits before the point stay.
    assert!(figure.body.contains(">13,218 <span"));
    assert!(
        figure
            .body
            .contains("<span class=\"interval\">(12,542–13,824)</span>")
    );
    assert!(figure.body.contains("n\u{a0}=\u{a0}7"));
    let mut small = experiment(
        "Time",
        "ms",
        Direction::Lower,
        vec![names("a", "A", FactorKind::Nominal, &["x"])],
    );
    for value in [1.2345, 1.2391, 1.2402, 1.2377, 1.2359] {
        add(&mut small, &[0], Ok(Value::Exact(value / 1e3)));
    }
    let shown = read(&small, "de", |reader| {
        let pivot = grid(&small);
        format::estimate(
            reader,
            0,
            pivot.cells[0].estimate.as_ref().expect("a value"),
        )
    });
    assert_eq!(shown, "1,2377\u{a0}ms");
}

#[test]
fn missing_cells_give_their_reason() {
    let experiment = logs();
    let order = MatrixOrder {
        mark_best: true,
        boundary: Some((0..35).map(|cell| cell % 7 > cell / 7).collect()),
        boundary_label: "data > log".to_owned(),
        ..MatrixOrder::default()
    };
    for tag in ["en", "de", "ru", "vi", "ar"] {
        let figure = read(&experiment, tag, |reader| {
            matrix(reader, &grid(&experiment), &order)
        });
        assert_balanced(&figure.body);
        assert_eq!(
            figure
                .body
                .matches("<td class=\"missing missing-not-published")
                .count(),
            29
        );
        assert_eq!(figure.body.matches("<td class=\"number").count(), 6);
        assert!(!figure.body.contains("\"></td>"), "a blank cell");
        for class in [
            "heat-0",
            "heat-8",
            if tag == "ar" {
                "edge-right"
            } else {
                "edge-left"
            },
            "edge-bottom",
            "matrix-legend",
        ] {
            assert!(figure.body.contains(class), "{class}");
        }
    }
    let figure = read(&experiment, "en", |reader| {
        matrix(reader, &grid(&experiment), &order)
    });
    assert!(
        figure
            .alternative
            .contains("29 of 35 values are missing: not published.")
    );
    assert!(figure.body.contains("Line: data &gt; log"));
}

#[test]
fn equal_values_share_the_middle_shade() {
    let mut experiment = logs();
    for observation in &mut experiment.observations {
        if let Ok(sample) = &mut observation.result {
            sample.value = Value::Exact(60.0);
        }
    }
    let figure = read(&experiment, "en", |reader| {
        matrix(reader, &grid(&experiment), &MatrixOrder::default())
    });
    assert_eq!(
        figure
            .body
            .matches("<td class=\"number heat heat-4")
            .count(),
        6
    );
    assert!(
        figure
            .alternative
            .contains("All values are equal: 1\u{a0}min."),
        "{}",
        figure.alternative
    );
}

#[test]
fn only_complete_steps_are_summed() {
    let experiment = indices();
    let figure = read(&experiment, "en", |reader| {
        steps(reader, &grid(&experiment))
    });
    assert_balanced(&figure.body);
    assert!(figure.body.contains("Total of 4 complete steps"));
    for number in ["3,774.99", "2,592.55", "1.46×", "2.02×", "1.04×"] {
        assert!(figure.body.contains(number), "{number}");
    }
    assert!(figure.method.contains(&(
        "Not in the total".to_owned(),
        "PKMNF2_DOC_DOWNTIME".to_owned()
    )));
    assert!(
        figure
            .alternative
            .contains("Speed-up by step: from 1.04× (INDMF_TAG_PLC_DATA_C1)")
    );
}

#[test]
fn a_comparison_says_what_cannot_be_compared() {
    let experiment = indices();
    let pivot = grid(&experiment);
    let row = |row: usize| CompareRow {
        label: format!("step {row} <b>"),
        metric: 0,
        from: pivot.cell(row, 0).clone(),
        to: pivot.cell(row, 1).clone(),
        comparison: crate::analysis::compare::compare(
            pivot.cell(row, 0),
            pivot.cell(row, 1),
            Direction::Lower,
            0.05,
            0.05,
        ),
    };
    let rows = [row(0), row(3), row(4)];
    let figure = read(&experiment, "en", |reader| {
        compare(reader, "a<", "b&", &rows)
    });
    assert_balanced(&figure.body);
    for part in [
        "verdict verdict-better",
        "verdict verdict-undecided",
        "cannot be compared",
        "a&lt;",
        "−50.5%",
    ] {
        assert!(figure.body.contains(part), "{part} in {}", figure.body);
    }
    let parsed: serde_json::Value = serde_json::from_str(&figure.json).expect("JSON");
    assert_eq!(parsed["rows"][2]["comparison"], serde_json::Value::Null);
    assert_eq!(
        parsed["rows"][2]["to"]["missing"]["reason"],
        "not-published"
    );
}

#[test]
fn a_comparison_within_blocks_says_so() {
    let experiment = indices();
    let pivot = grid(&experiment);
    let sides = [pivot.cell(0, 0), pivot.cell(0, 1)].map(|cell| {
        let mut cell = cell.clone();
        cell.estimate = Ok(crate::analysis::Estimate {
            value: crate::model::Value::Exact(4.0),
            interval: None,
            n: 7,
        });
        cell.run = Some(0);
        cell.samples = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        cell.blocks = (0..7).collect();
        cell
    });
    let [mut from, to] = sides;
    from.blocks[6] = 7;
    let comparison = crate::analysis::compare(&from, &to, Direction::Lower, 0.05, 0.05);
    let row = CompareRow {
        label: "row".into(),
        metric: 0,
        from,
        to,
        comparison,
    };
    let figure = read(&experiment, "en", |reader| {
        compare(reader, "a", "b", std::slice::from_ref(&row))
    });
    let said = figure.method.iter().find(|(name, _)| name == "Comparison");
    let (_, said) = said.expect("the method");
    for part in [
        "in pairs, within blocks; median of the ratios",
        "need not be the ratio of the two medians",
        "blocks in common: 6",
        "for want of a counterpart in their block: 2",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let parsed: serde_json::Value = serde_json::from_str(&figure.json).expect("JSON");
    let comparison = &parsed["rows"][0]["comparison"];
    assert_eq!(comparison["interval"]["method"], "paired-bootstrap");
    assert_eq!(comparison["blocks"]["left_out"], 2);
}

#[test]
fn differing_facts_come_first() {
    let mut experiment = buffers();
    experiment.runs[0].environment.facts = vec![
        ("memory".into(), text("16 GB")),
        ("cpu".into(), text("A")),
        ("own_key".into(), text("x")),
    ];
    experiment.runs[1].environment.facts =
        vec![("memory".into(), text("16 GB")), ("cpu".into(), text("B"))];
    let figure = read(&experiment, "en", |reader| environment(reader, &[0, 1, 9]));
    assert_balanced(&figure.body);
    let at = |part: &str| {
        figure
            .body
            .find(part)
            .unwrap_or_else(|| panic!("{part} in {}", figure.body))
    };
    assert!(at("Processor") < at("Memory") && at("own key") < at("Memory"));
    // What only one run states may be the same in the other.
    assert_eq!(figure.body.matches("<tr class=\"differs\">").count(), 1);
    assert!(figure.body.contains("not stated") && figure.body.contains("LockHashSlots"));
    assert!(
        figure.alternative.contains("differ in: Processor."),
        "{}",
        figure.alternative
    );
    experiment.definition.environment_labels = vec![("own_key".into(), text("Own|Eigenes"))];
    let one = read(&experiment, "de", |reader| environment(reader, &[0]));
    assert!(
        one.body.contains("<dt>Eigenes</dt><dd>x</dd>"),
        "{}",
        one.body
    );
    assert!(one.body.starts_with("<dl class=\"facts\">"));
    let none = read(&experiment, "de", |reader| environment(reader, &[]));
    assert_balanced(&none.body);
}

#[test]
fn exports_can_be_read_back() {
    let figure = tables(&fillfactor(), "de");
    let mut reader = csv::Reader::from_reader(figure.csv.as_bytes());
    let head: Vec<&str> = reader.headers().expect("a head").iter().collect();
    assert_eq!(
        head,
        [
            "finding",
            "metric",
            "metric n",
            "metric low",
            "metric high",
            "metric missing",
            "metric places"
        ]
    );
    let values: Vec<String> = reader
        .records()
        .map(|record| record.expect("a record")[1].to_owned())
        .collect();
    assert_eq!(values, ["-0.02..0.17", "0.07..0.16", "-0.36", "< -0.8", ""]);
    assert!(figure.csv.contains("\"not-published\""));
    let parsed: serde_json::Value =
        serde_json::from_str(&tables(&logs(), "vi").json).expect("JSON");
    let cell = &parsed["metrics"][0]["cells"][0];
    assert_eq!(parsed["metrics"][0]["unit"], "s");
    assert_eq!(cell["value"], 89.74);
    assert_eq!(cell["places"][0], "data/test/points.csv:2");
    assert_eq!(cell["n"], 1);
    let repeated: serde_json::Value =
        serde_json::from_str(&tables(&repeated(), "en").json).expect("JSON");
    assert_eq!(
        repeated["metrics"][0]["cells"][0]["interval"]["method"],
        "bootstrap"
    );
}

#[test]
fn formulas_in_labels_stay_text() {
    let hostile = "=HYPERLINK(\"http://x\")";
    let mut experiment = experiment(
        "-1+1",
        "ms",
        Direction::Lower,
        vec![names("a", "A", FactorKind::Nominal, &[hostile, "b\r\nc"])],
    );
    add(&mut experiment, &[0], Ok(Value::Exact(-0.004)));
    add(&mut experiment, &[1], Err(MissingReason::Failed));
    let figure = tables(&experiment, "en");
    assert_balanced(&figure.body);
    assert!(
        figure
            .csv
            .contains("\"'=HYPERLINK(\"\"http://x\"\")\",-0.004,1"),
        "{}",
        figure.csv
    );
}

#[test]
fn one_cell_and_no_cell_are_tables_too() {
    let mut experiment = experiment(
        "Time",
        "duration",
        Direction::Lower,
        vec![names("a", "A", FactorKind::Nominal, &["x"])],
    );
    add(&mut experiment, &[0], Ok(Value::Above(600.0)));
    let figure = tables(&experiment, "en");
    assert!(
        figure.body.contains("&gt;\u{a0}10\u{a0}min"),
        "{}",
        figure.body
    );
    assert!(
        figure
            .alternative
            .contains("Only value: >\u{a0}10\u{a0}min at x."),
        "{}",
        figure.alternative
    );
    let empty = read(&experiment, "en", |reader| table(reader, &[], ALL));
    assert_eq!(empty, Figure::default());
}

#[test]
fn no_digit_is_shown_that_no_sample_has() {
    let mut it = experiment(
        "Latency",
        "ms",
        Direction::Lower,
        vec![names("a", "A", FactorKind::Nominal, &["x"])],
    );
    for value in [4.76, 4.68, 4.87, 4.71, 4.80] {
        add(&mut it, &[0], Ok(Value::Exact(value / 1e3)));
    }
    let shown = read(&it, "en", |reader| {
        let pivot = grid(&it);
        let estimate = pivot.cells[0].estimate.as_ref().expect("a value");
        format::estimate(reader, 0, estimate)
    });
    assert_eq!(shown, "4.76\u{a0}ms");
}

#[test]
fn what_the_engine_tells_is_folded_unless_it_differs() {
    let mut experiment = buffers();
    let told = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    experiment.runs[1].effective = told(&[("page_size", "4096"), ("cache_size", "100")]);
    // A published run tells of no setting; that is no difference.
    let figure = read(&experiment, "en", |reader| environment(reader, &[0, 1]));
    assert_balanced(&figure.body);
    assert!(!figure.body.contains("class=\"differs\""));
    assert!(
        figure.body.contains(
            "<details class=\"fold\"><summary>2 settings as the engine reported them: night (measured)"
        ),
        "{}",
        figure.body
    );
    experiment.runs[0].effective = told(&[("page_size", "8192"), ("cache_size", "100")]);
    let figure = read(&experiment, "en", |reader| environment(reader, &[0, 1]));
    assert_balanced(&figure.body);
    assert_eq!(figure.body.matches("<tr class=\"differs\">").count(), 1);
    assert!(figure.body.contains("<code>page_size</code> <span"));
    assert!(figure.alternative.contains("differ in: page_size."));
    assert!(figure.csv.contains("\"effective\",\"cache_size\",100,100"));
    // Told of by one engine and not by the other, which tells of its settings.
    experiment.runs[0].effective.truncate(1);
    let figure = read(&experiment, "en", |reader| environment(reader, &[0, 1]));
    assert_eq!(figure.body.matches("<tr class=\"differs\">").count(), 2);
    let one = read(&experiment, "en", |reader| environment(reader, &[1]));
    assert!(
        one.body
            .contains("2 settings as the engine reported them</summary>")
    );
}
