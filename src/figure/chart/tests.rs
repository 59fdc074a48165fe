//! Charts keep their promises: well-formed, nothing overlapping, nothing cut, the same bytes twice.

use proptest::prelude::*;

use super::*;
use crate::figure::fixture::{self, add, buffers, experiment, fillfactor, grid, indices, language};
use crate::figure::markup::tests::assert_balanced;
use crate::model::{Direction, Experiment, FactorKind, MissingReason, Value};

const KINDS: [ChartKind; 4] = [
    ChartKind::Line,
    ChartKind::Bar,
    ChartKind::Dot,
    ChartKind::Timeline,
];

fn order(kind: ChartKind) -> ChartOrder {
    ChartOrder {
        kind,
        x_scale: Scale::Auto,
        y_scale: Scale::Auto,
        from_zero: false,
    }
}

fn draw(experiment: &Experiment, tag: &str, order: &ChartOrder) -> Figure {
    let language = language(tag);
    chart(
        Reader {
            experiment,
            language: &language,
        },
        &grid(experiment),
        order,
    )
}

/// Draws in every kind, spacing and language, and checks what must hold of every chart.
fn check(experiment: &Experiment) {
    check_in(experiment, &["en", "de", "ru", "vi", "ar"]);
}

fn check_in(experiment: &Experiment, tags: &[&str]) {
    let pivot = grid(experiment);
    for tag in tags {
        let language = language(tag);
        let reader = Reader {
            experiment,
            language: &language,
        };
        for kind in KINDS {
            for y_scale in [Scale::Auto, Scale::Log] {
                let order = ChartOrder {
                    y_scale,
                    ..order(kind)
                };
                let figure = chart(reader, &pivot, &order);
                assert_balanced(&figure.body);
                for number in numbers(&figure.body) {
                    assert!(
                        !number.contains("NaN") && !number.contains("inf"),
                        "{number}"
                    );
                }
                assert!(!figure.body.contains("<script"), "{}", figure.body);
                assert_eq!(figure, chart(reader, &pivot, &order));
                for (variant, drawing) in drawings(reader, &pivot, &order).0 {
                    check_labels(&drawing, &format!("{tag} {kind:?} {variant:?} {y_scale:?}"));
                }
            }
        }
        assert_balanced(&preview(reader, &pivot));
    }
}

/// The attributes that hold numbers. Labels stand between tags and in `aria-label`.
fn numbers(body: &str) -> impl Iterator<Item = &str> {
    const WORDS: [&str; 3] = ["aria-label", "class", "href"];
    let tags = body.split('<').filter_map(|part| part.split_once('>'));
    // Every other part at a double quote is a value; in labels, quotes are escaped.
    let attributes = tags.flat_map(|(tag, _)| {
        let parts: Vec<&str> = tag.split('"').collect();
        let pairs: Vec<(&str, &str)> = parts.chunks_exact(2).map(|it| (it[0], it[1])).collect();
        pairs
    });
    attributes
        .filter(|(name, _)| {
            let name = name.trim_end_matches('=').rsplit(' ').next();
            name.is_none_or(|name| !WORDS.contains(&name))
        })
        .map(|(_, value)| value)
}

#[test]
fn numbers_are_told_from_labels() {
    let body = "<ul aria-label=\"NaN\"><svg class=\"inf\" width=\"1\"><title>inf=&quot;</title>\
                <polyline points=\"1,NaN\" y=\"inf\"/></svg></ul>";
    assert_eq!(numbers(body).collect::<Vec<_>>(), ["1", "1,NaN", "inf"]);
    let words = ["inf", "NaN"];
    let mut experiment = experiment(
        "inf",
        "points",
        Direction::Higher,
        vec![
            fixture::names("x", "inf", FactorKind::Nominal, &words),
            fixture::names("s", "NaN", FactorKind::Nominal, &words),
        ],
    );
    add(&mut experiment, &[0, 0], Ok(Value::Exact(1.0)));
    add(&mut experiment, &[1, 1], Ok(Value::Exact(2.0)));
    check_in(&experiment, &["en"]);
}

pub(super) fn check_labels(drawing: &Drawing, what: &str) {
    let (width, height) = drawing.size;
    for (index, label) in drawing.boxes.iter().enumerate() {
        let inside = label.left >= -0.5
            && label.top >= -0.5
            && label.right <= width + 0.5
            && label.bottom <= height + 0.5;
        assert!(
            inside,
            "{what}: {label:?} leaves {width} × {height}\n{}",
            drawing.shapes
        );
        for other in &drawing.boxes[..index] {
            assert!(
                !label.meets(other),
                "{what}: {label:?} meets {other:?}\n{}",
                drawing.shapes
            );
        }
    }
}

#[test]
fn published_figures_are_drawn_without_collisions() {
    for experiment in [
        buffers(),
        fixture::logs(),
        fillfactor(),
        indices(),
        fixture::repeated(),
    ] {
        check_in(&experiment, &["ru"]);
    }
}

#[test]
fn a_missing_value_is_a_gap_with_its_reason() {
    let mut experiment = buffers();
    experiment.observations.remove(5);
    let body = draw(&experiment, "en", &order(ChartKind::Line)).body;
    assert!(body.contains("class=\"missing-mark\""));
    assert!(body.contains("SuperClassic, 768: not published"));
    // Two lines of Classic's in the two variants, three of SuperClassic's in each.
    assert_eq!(body.matches("<polyline class=\"line\"").count() / 2, 3);
}

#[test]
fn points_name_themselves() {
    let body = draw(&buffers(), "en", &order(ChartKind::Line)).body;
    assert!(
        body.contains("<title>SuperClassic, 1,500: 392\u{a0}points</title>"),
        "{body}"
    );
    let body = draw(&buffers(), "de", &order(ChartKind::Bar)).body;
    assert!(
        body.contains("<title>SuperClassic, 1.500: 392\u{a0}Punkte</title>"),
        "{body}"
    );
}

#[test]
fn ranges_float_and_bounds_point_outwards() {
    let body = draw(&fillfactor(), "en", &order(ChartKind::Bar)).body;
    for label in ["−2%", "17%", "−36%", "&lt;\u{a0}−80%", "not published"] {
        assert!(
            body.contains(&format!(">{label}</text>")),
            "{label} in {body}"
        );
    }
    assert!(body.contains("<polygon class=\"dot\""));
}

#[test]
fn nothing_to_draw_says_so() {
    let mut experiment = buffers();
    for observation in &mut experiment.observations {
        observation.result = Err(crate::model::Missing::new(MissingReason::Failed));
    }
    for kind in KINDS {
        let figure = draw(&experiment, "en", &order(kind));
        assert_eq!(figure.body, "<p class=\"notice\">There are no values.</p>");
        assert!(figure.table.is_some_and(|table| table.contains("failed")));
    }
    let language = language("en");
    let reader = Reader {
        experiment: &experiment,
        language: &language,
    };
    assert_eq!(preview(reader, &grid(&experiment)), "");
}

#[test]
fn many_series_share_colours_and_say_so() {
    let labels: Vec<String> = (0..30).map(|index| format!("Series {index}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut experiment = experiment(
        "Time",
        "ms",
        Direction::Lower,
        vec![
            fixture::numbers("x", "X", FactorKind::Number, &[1.0, 2.0, 3.0]),
            fixture::names("s", "S", FactorKind::Nominal, &labels),
        ],
    );
    for row in 0..3 {
        for column in 0..30 {
            add(
                &mut experiment,
                &[row, column],
                Ok(Value::Exact(f64::from(row * 7 + column + 1))),
            );
        }
    }
    check(&experiment);
    let figure = draw(&experiment, "en", &order(ChartKind::Line));
    assert!(
        figure
            .method
            .iter()
            .any(|(_, text)| text.starts_with("30 series share 8"))
    );
    assert!(figure.body.contains("swatch series-8"));
}

#[test]
fn hostile_labels_stay_text() {
    let hostile = "</svg><script>alert(1)</script>\u{202e}\u{0}\"'&";
    let mut experiment = experiment(
        hostile,
        "points",
        Direction::Higher,
        vec![
            fixture::names("x", hostile, FactorKind::Nominal, &[hostile, "b", "c"]),
            fixture::names("s", hostile, FactorKind::Nominal, &[hostile, "d"]),
        ],
    );
    for row in 0..3 {
        add(
            &mut experiment,
            &[row, 0],
            Ok(Value::Exact(f64::from(row) + 1.0)),
        );
        add(&mut experiment, &[row, 1], Err(MissingReason::Timeout));
    }
    check(&experiment);
}

#[test]
fn a_right_to_left_reader_gets_texts_on_the_same_side() {
    let body = draw(&buffers(), "ar", &order(ChartKind::Line)).body;
    assert!(body.contains("direction=\"rtl\""));
}

fn value() -> impl Strategy<Value = Result<Value, MissingReason>> {
    let number = prop_oneof![
        -1e3..1e3f64,
        0.0..1e-6f64,
        0.0..1e12f64,
        Just(0.0),
        Just(42.0),
        Just(1e300),
        Just(f64::MIN_POSITIVE),
    ];
    prop_oneof![
        5 => number.clone().prop_map(|it| Ok(Value::Exact(it))),
        1 => (number.clone(), number.clone()).prop_map(|(a, b)| Ok(Value::Range(a.min(b), a.max(b)))),
        1 => number.clone().prop_map(|it| Ok(Value::Above(it))),
        1 => number.prop_map(|it| Ok(Value::Below(it))),
        1 => Just(Err(MissingReason::NotRun)),
    ]
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "[A-Z_]{5,40}",
        "[а-я ]{1,30}",
        "(kết nối ?){1,6}",
        "[一-龥]{1,20}",
        "[<>&\"' a-z]{1,200}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn labels_never_meet_and_never_leave(
        labels in prop::collection::vec(label(), 1..14),
        series in prop::collection::vec(label(), 1..5),
        kind in prop::sample::select(vec![FactorKind::Nominal, FactorKind::Number, FactorKind::Bytes, FactorKind::Duration]),
        unit in prop::sample::select(vec!["ms", "duration", "size", "%", "points", "s/MiB"]),
        values in prop::collection::vec(value(), 1..60),
        spread in 0.0..3.0f64,
    ) {
        let rows = match kind {
            FactorKind::Nominal => {
                let names: Vec<String> = labels.iter().enumerate().map(|(index, it)| format!("{index}{}", it.replace('|', "/"))).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                fixture::names("x", &labels[0], kind, &names)
            }
            kind => {
                let numbers: Vec<f64> = (0..labels.len()).map(|index| (index as f64 + 1.0).powf(1.0 + spread)).collect();
                fixture::numbers("x", &labels[0], kind, &numbers)
            }
        };
        let names: Vec<String> = series.iter().enumerate().map(|(index, it)| format!("{index}{it}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns = fixture::names("s", "Series", FactorKind::Nominal, &names);
        let mut experiment = experiment(&series[0], unit, Direction::Higher, vec![rows, columns]);
        let places = labels.len() * series.len();
        for (index, value) in values.iter().enumerate().take(places) {
            let (row, column) = (index / series.len(), index % series.len());
            add(&mut experiment, &[row as u32, column as u32], *value);
        }
        check_in(&experiment, &["ru"]);
    }
}
