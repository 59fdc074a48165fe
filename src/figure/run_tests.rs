//! Figures of runs say what was seen: drift only where it is one, extremes kept, mismatches marked.

use super::correlation::{CorrelationOrder, Quantity};
use super::fixture::{language, measured, repeated, text};
use super::history::Stage;
use super::markup::tests::assert_balanced;
use super::{Figure, Reader, correlation, drift, history, reproduce, settings, timeline};
use crate::analysis::{Query, pivot};
use crate::diag::{Source, Span};
use crate::model::{Experiment, Named, Order, Procedure, Quick, Reading, Series, Value, Watching};

fn read<T>(experiment: &Experiment, tag: &str, figure: impl Fn(Reader<'_>) -> T) -> T {
    let language = language(tag);
    figure(Reader {
        experiment,
        language: &language,
    })
}

/// A figure in every language, checked for what must hold of each; the English one.
fn checked(experiment: &Experiment, figure: impl Fn(Reader<'_>) -> Option<Figure>) -> Figure {
    for tag in ["en", "de", "ru", "vi", "ar"] {
        let shown = read(experiment, tag, &figure).expect("a figure");
        assert_balanced(&shown.body);
        assert_balanced(shown.table.as_deref().unwrap_or_default());
        for part in [&shown.body, &shown.alternative] {
            assert!(
                !part.contains("NaN") && !part.contains('{'),
                "{tag}: {part}"
            );
        }
        assert!(!shown.alternative.is_empty());
        assert_eq!(read(experiment, tag, &figure), Some(shown));
    }
    read(experiment, "en", &figure).expect("a figure")
}

fn shown(reader: Reader<'_>, key: &str, only: &[(usize, Vec<usize>)]) -> Option<Figure> {
    timeline::figure(reader, 0, key, only).map(|(figure, _)| figure)
}

#[test]
fn noise_is_no_drift() {
    let experiment = measured(false, |_| 1.0);
    let figure = checked(&experiment, |reader| drift::figure(reader, 0, 0));
    assert!(
        figure.alternative.contains("No drift is seen"),
        "{}",
        figure.alternative
    );
    assert!(figure.alternative.contains("n\u{a0}=\u{a0}60"));
    assert!(figure.alternative.contains("not the same in every block"));
    assert!(figure.body.contains("<p class=\"finding\">No drift"));
    // Four borders between five blocks, in both variants.
    let borders = figure.body.matches("<g class=\"borders\">").count();
    assert_eq!(borders, 2);
    assert_eq!(figure.csv.lines().count(), 61);
    assert!(
        figure
            .table
            .is_some_and(|table| table.matches("<tr>").count() == 6)
    );
}

#[test]
fn a_drift_is_told_with_its_size() {
    let experiment = measured(true, |order| 1.0 - f64::from(order) * 0.004);
    let figure = checked(&experiment, |reader| drift::figure(reader, 0, 0));
    assert!(
        figure.alternative.contains("tend to give lower values"),
        "{}",
        figure.alternative
    );
    assert!(
        figure
            .alternative
            .contains("In the first block the typical deviation is +")
    );
    assert!(figure.alternative.contains("in the same order"));
    let parsed: serde_json::Value = serde_json::from_str(&figure.json).expect("JSON");
    assert_eq!(parsed["order"], "fixed");
    assert!(
        parsed["association"]["high"]
            .as_f64()
            .is_some_and(|high| high < 0.0)
    );
}

#[test]
fn values_around_zero_are_told_by_difference() {
    let mut experiment = measured(false, |_| 1.0);
    for observation in &mut experiment.observations {
        if let Ok(sample) = &mut observation.result
            && let Value::Exact(value) = &mut sample.value
        {
            *value -= 6000.0;
        }
    }
    let figure = checked(&experiment, |reader| drift::figure(reader, 0, 0));
    assert!(
        figure
            .body
            .contains("Difference from the median of the case, ops/s")
    );
    assert!(figure.csv.contains("metric - median"));
}

#[test]
fn what_has_no_order_has_no_drift() {
    let mut experiment = repeated();
    assert!(read(&experiment, "en", |reader| drift::figure(reader, 1, 0)).is_none());
    for observation in &mut experiment.observations {
        if let Ok(sample) = &mut observation.result {
            sample.order = None;
        }
    }
    assert!(read(&experiment, "en", |reader| drift::figure(reader, 0, 0)).is_none());
}

#[test]
fn many_cases_share_their_axes_on_plots_side_by_side() {
    let experiment = measured(false, |_| 1.0);
    let show = |reader: Reader<'_>| shown(reader, "checkpoint_age", &[]);
    let figure = checked(&experiment, show);
    assert_eq!(figure.body.matches("<div class=\"panel\">").count(), 3);
    // Four lines and the limits of those on each, and the whole told once.
    assert_eq!(figure.body.matches("<polyline class=\"line\"").count(), 12);
    assert_eq!(figure.body.matches("<polyline class=\"bound\"").count(), 12);
    assert_eq!(figure.body.matches("<desc>").count(), 1);
    assert!(
        figure
            .body
            .contains("<li class=\"legend-title\" aria-hidden=\"true\">Checkpoint interval</li>")
    );
    // A thousand readings each are thinned, and their largest is still the largest.
    assert!(figure.csv.lines().count() < 12 * 260);
    assert!(figure.csv.contains("39900000"));
    assert!(
        figure
            .table
            .as_ref()
            .is_some_and(|table| table.contains("38.1\u{a0}MiB"))
    );
    assert!(
        figure
            .method
            .iter()
            .any(|(_, text)| text.contains("none is averaged"))
    );
}

#[test]
fn lines_that_would_lie_flat_have_plots_and_axes_of_their_own() {
    let mut experiment = measured(false, |_| 1.0);
    let only = [(1, vec![0])];
    let of_least: Vec<u32> = (experiment.observations.iter())
        .filter(|it| experiment.cases[it.case as usize][0] == 0)
        .filter_map(|it| it.result.as_ref().ok()?.order)
        .collect();
    for series in &mut experiment.runs[0].series {
        if of_least.contains(&series.order) {
            series.readings.iter_mut().for_each(|it| it.value /= 100.0);
        }
    }
    let figure = checked(&experiment, |reader| shown(reader, "checkpoint_age", &only));
    assert_eq!(figure.body.matches("<div class=\"panel\">").count(), 4);
    assert!(
        figure
            .body
            .contains("Checkpoint age. The axes of the plots differ.")
    );
    assert!(
        figure.body.contains(">Checkpoint interval 100<"),
        "{}",
        figure.body
    );
    assert!(figure.body.contains(">80\u{a0}KiB<") || figure.body.contains(">64\u{a0}KiB<"));
    assert!(!figure.body.contains("legend"));
}

#[test]
fn few_cases_share_one_plot() {
    let experiment = measured(false, |_| 1.0);
    let only = [(1, vec![0])];
    let show = |reader: Reader<'_>| shown(reader, "checkpoint_age", &only);
    let figure = checked(&experiment, show);
    assert!(!figure.body.contains("class=\"panel\""));
    assert_eq!(
        figure.body.matches("<polyline class=\"line\"").count(),
        2 * 4
    );
    assert!(
        figure
            .alternative
            .contains("10,000: from 0\u{a0}B to 38.1\u{a0}MiB, largest after 4.0\u{a0}s."),
        "{}",
        figure.alternative
    );
    let caption = read(&experiment, "en", |reader| {
        timeline::figure(reader, 0, "checkpoint_age", &only).map(|(_, caption)| caption)
    });
    assert_eq!(caption.as_deref(), Some("Checkpoint age"));
    // One case needs no legend, and a limit far away no line.
    let only = [(0, vec![3]), (1, vec![0])];
    let mut experiment = experiment;
    for series in &mut experiment.runs[0].series {
        if series.key == "checkpoint_limit" {
            series.readings.iter_mut().for_each(|it| it.value *= 9.0);
        }
    }
    let show = |reader: Reader<'_>| shown(reader, "checkpoint_age", &only);
    let figure = checked(&experiment, show);
    assert!(!figure.body.contains("legend") && !figure.body.contains("class=\"bound\""));
    assert!(
        figure
            .method
            .iter()
            .any(|(_, text)| text.contains("more than twice"))
    );
}

#[test]
fn a_limit_is_shown_with_what_it_limits() {
    let experiment = measured(false, |_| 1.0);
    let keys = read(&experiment, "en", |reader| {
        let keys = timeline::keys(reader, 0).into_iter();
        keys.map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(keys, ["checkpoint_age", "queue_length"]);
    let figure = checked(&experiment, |reader| shown(reader, "queue_length", &[]));
    assert!(figure.body.contains("queue length"));
    assert!(
        read(&experiment, "en", |reader| timeline::figure(
            reader,
            0,
            "none",
            &[]
        ))
        .is_none()
    );
    assert!(
        read(&experiment, "en", |reader| timeline::figure(
            reader,
            1,
            "cpu",
            &[]
        ))
        .is_none()
    );
}

#[test]
fn settings_stand_once_with_their_cases() {
    let mut experiment = measured(false, |_| 1.0);
    let show = |reader: Reader<'_>| settings::figure(reader, 0).map(|(figure, _)| figure);
    let figure = checked(&experiment, show);
    assert_eq!(
        figure.body.matches("<tr>").count() + figure.body.matches("<tr class=\"differs\">").count(),
        6
    );
    assert!(
        figure.body.contains("<td>Checkpoint interval 1,000</td>"),
        "{}",
        figure.body
    );
    assert!(figure.body.contains("<td>All cases</td>"));
    assert!(figure.body.contains("differs from what was requested"));
    assert!(figure.alternative.contains("1 setting differs"));
    // One case of its own, and one that can't be read back.
    experiment.runs[0].settings[1].requested = "8192".to_owned();
    experiment.runs[0].settings[1].effective = None;
    let figure = checked(&experiment, show);
    assert!(
        figure
            .body
            .contains("<td>Checkpoint interval: 100; Synchronous mode: NORMAL</td>")
            || figure
                .body
                .contains("<td>Checkpoint interval 100; Synchronous mode NORMAL</td>"),
        "{}",
        figure.body
    );
    assert!(figure.body.contains("11 cases") && figure.body.contains("could not be read back"));
    experiment.runs[0].settings.clear();
    assert!(read(&experiment, "en", show).is_none());
}

#[test]
fn associations_are_no_causes() {
    let experiment = measured(false, |order| 1.0 + f64::from(order % 5) * 0.1);
    let order = |within| CorrelationOrder {
        run: 0,
        x: Quantity::Series("queue_length".to_owned()),
        y: Quantity::Metric(0),
        within,
        only: Vec::new(),
    };
    for within in [None, Some(1)] {
        let order = order(within);
        let figure = checked(&experiment, |reader| correlation::figure(reader, &order));
        assert!(figure.body.contains("tells no cause"), "{}", figure.body);
        assert_eq!(figure.csv.lines().count(), 61);
    }
    // A figure goes perfectly with itself.
    let itself = CorrelationOrder {
        x: Quantity::Metric(0),
        ..order(None)
    };
    let figure = checked(&experiment, |reader| correlation::figure(reader, &itself));
    assert!(figure.body.contains("high together"), "{}", figure.body);
    let nowhere = CorrelationOrder {
        run: 1,
        ..order(None)
    };
    assert!(
        read(&experiment, "en", |reader| correlation::figure(
            reader, &nowhere
        ))
        .is_none()
    );
}

/// An experiment in which connections were watched: the more of them wait, the less is done.
fn crowded() -> Experiment {
    let mut experiment = measured(false, |order| 1.0 - f64::from(order % 5) * 0.1);
    let begun: Vec<(u32, f64)> = (experiment.runs[0].series.iter())
        .filter(|it| it.key == "checkpoint_age")
        .map(|it| (it.order, it.readings[0].at))
        .collect();
    for (order, start) in begun {
        for (key, most) in [("waits_lwlock", order % 5), ("waits_io", 1), ("active", 6)] {
            let reading = |place: u32| Reading {
                at: start + f64::from(place) * 0.1,
                value: f64::from(if place.is_multiple_of(3) { most } else { 0 }),
            };
            experiment.runs[0].series.push(Series {
                order,
                key: key.to_owned(),
                readings: (0..30).map(reading).collect(),
            });
        }
    }
    experiment
}

#[test]
fn waiting_connections_are_counted_in_whole_numbers() {
    let experiment = crowded();
    let only = [(0, vec![0]), (1, vec![0])];
    for (key, name) in [
        ("waits_lwlock", "Connections waiting for LWLocks"),
        ("waits_io", "Connections waiting for IO"),
        ("active", "Connections at work"),
    ] {
        let figure = checked(&experiment, |reader| shown(reader, key, &only));
        let title = format!("{name} over the time within a measurement");
        assert!(
            figure.alternative.contains(&title),
            "{}",
            figure.alternative
        );
        // On the axis and in the table nothing but numbers: there is no unit, and no half connection.
        assert!(
            figure.body.contains(&format!(">{name}<")),
            "{}",
            figure.body
        );
        assert!(!figure.body.contains(">0.5<"), "{}", figure.body);
        let table = figure.table.unwrap_or_default();
        assert!(table.contains("<td class=\"number\">0</td>"), "{table}");
    }
    let german = read(&experiment, "de", |reader| shown(reader, "waits_io", &only));
    let german = german.expect("a figure").alternative;
    let name = "Auf Ein- oder Ausgabe wartende Verbindungen (IO)";
    assert!(
        german.contains(&format!("{name}: von 0 bis 1, ")),
        "{german}"
    );
}

#[test]
fn speed_goes_with_waits_within_levels() {
    let experiment = crowded();
    for within in [None, Some(0)] {
        let order = CorrelationOrder {
            run: 0,
            x: Quantity::Series("waits_lwlock".to_owned()),
            y: Quantity::Metric(0),
            within,
            only: vec![(1, vec![0])],
        };
        let figure = checked(&experiment, |reader| correlation::figure(reader, &order));
        assert!(
            figure
                .body
                .contains("Where one is high, the other tends to be low"),
            "{}",
            figure.body
        );
        assert!(
            figure
                .alternative
                .contains("Throughput against Connections waiting for LWLocks"),
            "{}",
            figure.alternative
        );
        let table = figure.table.unwrap_or_default();
        assert!(
            table.contains(
                "<th scope=\"col\" class=\"number\">Connections waiting for LWLocks (median)</th>"
            ),
            "{table}"
        );
        let head = figure.csv.lines().next().unwrap_or_default();
        assert!(
            head.ends_with("\"waits_lwlock\",\"metric [ops/s]\""),
            "{head}"
        );
    }
}

/// The runs of an experiment as the stages of a history, over the first factor at a level of the second.
fn stages(experiment: &Experiment) -> Vec<Stage> {
    let stage = |run| Stage {
        run,
        pivot: pivot(
            experiment,
            &Query {
                columns: Some(0),
                only: vec![(1, vec![0])],
                run: Some(run),
                ..Query::default()
            },
        )
        .expect("a pivot"),
    };
    vec![stage(0), stage(1)]
}

#[test]
fn only_changes_beyond_the_noise_make_history() {
    let mut experiment = measured(false, |_| 1.0);
    // The same again, with one case half as fast.
    let again = experiment.observations.iter().cloned().map(|mut it| {
        it.run = 1;
        let slow = *experiment.cases[it.case as usize] == [1, 0];
        if let (true, Ok(sample)) = (slow, &mut it.result)
            && let Value::Exact(value) = &mut sample.value
        {
            *value /= 2.0;
        }
        it
    });
    let again = again.collect::<Vec<_>>();
    experiment.observations.extend(again);
    experiment.runs[0].environment.facts = vec![("cpu".into(), text("A"))];
    experiment.runs[1].environment.facts = vec![("cpu".into(), text("B"))];
    experiment.runs[1].started = Some("2026-10-01T00:00:00Z".to_owned());
    let both = stages(&experiment);
    let figure = checked(&experiment, |reader| history::figure(reader, &both));
    assert!(
        figure
            .alternative
            .contains("stand out: 1,000, published (October 1, 2026): −50"),
        "{}",
        figure.alternative
    );
    let table = figure.table.as_deref().expect("a table");
    assert_eq!(table.matches("verdict-worse").count(), 1);
    assert!(!table.contains("verdict-better") && table.contains("<td>Processor</td>"));
    assert_eq!(figure.csv.lines().count(), 9);
    assert_eq!(figure.body.matches("class=\"whisker\"").count(), 2 * 8);
    let first = &both[..1];
    let figure = checked(&experiment, |reader| history::figure(reader, first));
    assert!(figure.alternative.contains("only one run so far"));
    assert!(read(&experiment, "en", |reader| history::figure(reader, &[])).is_none());
}

fn procedure(engine: &str) -> Procedure {
    let span = Span::new(&Source::new("experiment.toml", ""), 0..0);
    let named = |name: &str| Named {
        name: name.to_owned(),
        span: span.clone(),
    };
    Procedure {
        span: span.clone(),
        engine: named(engine),
        workload: named("insert-update"),
        repetitions: 5,
        order: Order::Random,
        seed: 1,
        timeout: 60.0,
        settle: 0.0,
        settings: Vec::new(),
        parameters: Vec::new(),
        results: Vec::new(),
        steps: None,
        watch: Watching {
            every: 0.1,
            series: Vec::new(),
            off: false,
        },
        power: None,
        commands: None,
        quick: Quick::default(),
    }
}

#[test]
fn the_command_is_that_of_the_run_else_of_the_definition() {
    let mut experiment = measured(true, |_| 1.0);
    let show = |reader: Reader<'_>| reproduce::figure(reader, None);
    let figure = checked(&experiment, show);
    assert!(
        figure
            .body
            .contains("<pre class=\"command\"><code>benchbook run test --seed 7</code></pre>")
    );
    assert!(
        figure.body.contains(
            "12 cases × 5 repetitions = 60 measurements; in each block in the same order"
        ),
        "{}",
        figure.body
    );
    assert!(figure.body.contains("about 30\u{a0}min"), "{}", figure.body);
    experiment.runs.truncate(0);
    assert!(read(&experiment, "en", show).is_none());
    experiment.definition.key = "wal size".to_owned();
    experiment.definition.procedure = Some(procedure("sqlite"));
    let figure = checked(&experiment, show);
    assert!(
        figure
            .body
            .contains("<code>benchbook run &#39;wal size&#39;</code>"),
        "{}",
        figure.body
    );
    assert!(!figure.body.contains("--quick") && figure.body.contains("SQLite is built into"));
    experiment.definition.procedure = Some(Procedure {
        quick: Quick {
            repetitions: Some(2),
            ..Quick::default()
        },
        ..procedure("<b>")
    });
    let figure = checked(&experiment, show);
    assert!(figure.body.contains("--quick") && figure.body.contains("&lt;b&gt;"));
}

#[test]
fn hostile_names_stay_text() {
    let mut experiment = measured(false, |_| 1.0);
    let hostile = "</svg><script>\u{202e}\"'&";
    experiment.definition.metrics[0].label = text(hostile);
    for factor in &mut experiment.definition.factors {
        factor.label = text(hostile);
    }
    let run = &mut experiment.runs[0];
    run.command = Some(hostile.to_owned());
    run.settings
        .iter_mut()
        .for_each(|it| it.name = hostile.to_owned());
    run.series
        .iter_mut()
        .for_each(|it| it.key = hostile.to_owned());
    let figures = read(&experiment, "en", |reader| {
        [
            drift::figure(reader, 0, 0),
            shown(reader, hostile, &[]),
            settings::figure(reader, 0).map(|(figure, _)| figure),
            reproduce::figure(reader, None),
        ]
    });
    for figure in figures {
        let figure = figure.expect("a figure");
        assert_balanced(&figure.body);
        assert!(!figure.body.contains("<script"));
    }
}
