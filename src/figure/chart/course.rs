//! Points over an axis of numbers, alone or joined, on one plot or on small ones side by side that share
//! their axes: readings over time, deviations over an order, one figure against another.

use std::fmt::Write as _;

use super::frame::{Across, Frame, Order};
use super::legend::Swatch;
use super::palette::{Role, SERIES, dashes, series_class};
use super::sheet::{Place, Sheet};
use super::ticks::{self, Axis, Span};
use super::{Drawing, Group, TARGETS, Variant};
use crate::figure::Reader;
use crate::figure::format::Notation;
use crate::figure::markup::escape;

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The word of its class (`chart-<kind>`).
    pub kind: &'static str,
    /// What it shows, for those who can't see it.
    pub title: String,
    /// What tells the series apart (`Journal mode`), and their names; one nameless series has none.
    pub series: (String, Vec<String>),
    /// The plots; with several, each has a title of its own.
    pub panels: Vec<Panel>,
    /// Whether the points of a strand are joined by a line.
    pub joined: bool,
    /// Whether joined points are drawn too.
    pub dotted: bool,
    /// Title of the axis of values and how they are written.
    pub values: (String, Notation),
    /// Title of the axis along the bottom and how its values are written.
    pub across: (String, Notation),
    /// Whether each plot has an axis of its own along the bottom.
    pub apart: bool,
    /// Whether each plot has an axis of values of its own.
    pub own_values: bool,
    /// Whether only whole numbers stand along the bottom.
    pub whole: bool,
    /// Whether only whole numbers stand along the axis of values.
    pub whole_values: bool,
    /// Whether the axis of values begins at zero.
    pub from_zero: bool,
    /// Whether the axis along the bottom begins at zero.
    pub across_from_zero: bool,
    /// Places along the bottom where something ends and something else begins.
    pub borders: Vec<f64>,
}

/// One plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// What it shows; empty for the only one.
    pub title: String,
    /// What is drawn in it.
    pub strands: Vec<Strand>,
}

/// Points that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Strand {
    /// Index of the series.
    pub series: usize,
    /// In order along the bottom.
    pub points: Vec<Spot>,
    /// A line that the points are to be seen against: places along the bottom and values.
    pub limit: Vec<(f64, f64)>,
}

/// A point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spot {
    /// Its place along the bottom.
    pub across: f64,
    /// Its value.
    pub value: f64,
    /// What it says of itself (may be empty).
    pub title: String,
    /// The ends of its interval.
    pub reach: Option<(f64, f64)>,
}

/// The axes of a plot; all plots share them as a rule.
#[derive(Clone)]
struct Axes {
    values: Vec<Axis>,
    across: Vec<Axis>,
}

/// The picture with its legend; nothing without points.
pub fn course(reader: Reader<'_>, course: &Course, alternative: &str) -> String {
    let Some(axes) = axes(reader, course) else {
        return super::nothing(reader);
    };
    let group = Group {
        kind: course.kind,
        title: &course.title,
        series: &course.series.0,
        names: &course.series.1,
        swatch: match (course.joined, course.dotted) {
            (true, false) => Swatch::Stroke,
            (true, true) => Swatch::Line,
            (false, _) => Swatch::Point,
        },
        bare: false,
        alternative,
    };
    let legend = course.series.1.len() > 1;
    if let [panel] = &course.panels[..] {
        let drawings = Variant::ALL.map(|variant| {
            let size = (variant.width(), variant.height());
            let mut drawing = draw(reader, course, panel, &axes, size);
            drawing.legend = legend;
            (variant, drawing)
        });
        return super::assembled(reader, &group, &drawings);
    }
    // What the values are is said once, above the plots.
    let mut bare = course.clone();
    bare.panels.clear();
    bare.values.0.clear();
    let mut out = String::new();
    if legend {
        out.push_str(&group.legend());
    }
    let mut note = course.values.0.clone();
    if course.apart || course.own_values {
        note = format!("{note}. {}", reader.words("axes-differ"));
    }
    let note = escape(&note);
    let _ = write!(
        out,
        "<p class=\"axis-note\">{note}</p><div class=\"panels\">"
    );
    for panel in &course.panels {
        let mut own = axes.clone();
        if course.apart
            && let Some(across) = across(reader, course, &[panel])
        {
            own.across = across;
        }
        if course.own_values
            && let Some(values) = values(reader, course, &[panel])
        {
            own.values = values;
        }
        let size = (Variant::Narrow.width(), 210.0);
        let drawing = draw(reader, &bare, panel, &own, size);
        let title = escape(&panel.title);
        let name = format!("{}: {}", course.title, panel.title);
        // The whole is told once, by the first plot.
        let said = std::ptr::eq(panel, &raw const course.panels[0]);
        let words = if said { alternative } else { "" };
        let picture = drawing.svg(reader, course.kind, &name, words);
        let _ = write!(
            out,
            "<div class=\"panel\"><p class=\"panel-title\">{title}</p>{picture}</div>"
        );
    }
    out.push_str("</div>");
    out
}

fn axes(reader: Reader<'_>, course: &Course) -> Option<Axes> {
    let panels: Vec<&Panel> = course.panels.iter().collect();
    Some(Axes {
        values: values(reader, course, &panels)?,
        across: across(reader, course, &panels)?,
    })
}

/// The axis of values of some plots.
fn values(reader: Reader<'_>, course: &Course, panels: &[&Panel]) -> Option<Vec<Axis>> {
    let strands = || panels.iter().flat_map(|panel| &panel.strands);
    let points = strands().flat_map(|strand| &strand.points);
    let limits = strands().flat_map(|strand| &strand.limit);
    let mut all = points
        .flat_map(|spot| {
            [
                Some(spot.value),
                spot.reach.map(|it| it.0),
                spot.reach.map(|it| it.1),
            ]
        })
        .flatten()
        .chain(limits.map(|limit| limit.1));
    let (low, high) = reach(&mut all)?;
    let span = Span {
        low,
        high: if low == 0.0 && high == 0.0 { 1.0 } else { high },
        log: false,
        zero: course.from_zero,
        round: true,
    };
    let mut values = ticks::axes(reader, course.values.1, span, &TARGETS);
    if course.whole_values {
        keep_whole(&mut values);
    }
    Some(values)
}

/// Leaves out axes with other numbers than whole ones, unless there is no other.
fn keep_whole(axes: &mut Vec<Axis>) {
    let is_whole = |axis: &Axis| axis.ticks.iter().all(|(tick, _)| tick.fract() == 0.0);
    if axes.iter().any(is_whole) {
        axes.retain(is_whole);
    }
}

/// The lower and the upper end of values.
fn reach(values: &mut dyn Iterator<Item = f64>) -> Option<(f64, f64)> {
    let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    (ends.0 <= ends.1 && ends.0.is_finite() && ends.1.is_finite()).then_some(ends)
}

/// The axis along the bottom of some plots.
fn across(reader: Reader<'_>, course: &Course, panels: &[&Panel]) -> Option<Vec<Axis>> {
    let strands = panels.iter().flat_map(|panel| &panel.strands);
    let spots = strands.flat_map(|strand| &strand.points);
    let (start, end) = reach(&mut spots.map(|spot| spot.across))?;
    let start = if course.across_from_zero {
        0f64.min(start)
    } else {
        start
    };
    let least = 0.02 * start.abs().max(end.abs()).max(1e-9);
    let room = if end > start {
        (end - start) * 0.02
    } else {
        least
    };
    let span = Span {
        low: (start - room).max(0f64.min(start)),
        high: end + room,
        log: false,
        zero: false,
        round: false,
    };
    let mut across = ticks::axes(reader, course.across.1, span, &[8, 6, 4, 3, 2]);
    if course.whole {
        keep_whole(&mut across);
    }
    Some(across)
}

fn draw(reader: Reader<'_>, course: &Course, panel: &Panel, axes: &Axes, size: Place) -> Drawing {
    let frame = Frame::upright(&Order {
        width: size.0,
        height: size.1,
        values: axes.values.clone(),
        value_title: course.values.0.clone(),
        across: Across::Values(axes.across.clone()),
        across_title: course.across.0.clone(),
        right: 8.0,
        overhang: (0.0, 0.0),
    });
    Drawing::new(reader, frame.size, |sheet| {
        frame.draw(sheet);
        if !course.borders.is_empty() {
            sheet.open("borders");
            for border in &course.borders {
                let (x, _) = frame.place(*border, frame.value.low);
                sheet.rule((x, frame.top), (x, frame.bottom), Role::Grid, "");
            }
            sheet.close();
        }
        let many = panel
            .strands
            .iter()
            .map(|it| it.points.len())
            .sum::<usize>()
            > MANY;
        let shared = shared_limit(panel);
        if let Some(limit) = shared {
            draw_limit(sheet, &frame, limit);
        }
        for strand in &panel.strands {
            sheet.open(series_class(strand.series));
            if shared.is_none() {
                draw_limit(sheet, &frame, &strand.limit);
            }
            draw_strand(sheet, &frame, strand, course, many);
            sheet.close();
        }
        false
    })
}

/// From so many points on they are small and half transparent.
const MANY: usize = 150;

/// The longest limit of several strands that all have the same one.
fn shared_limit(panel: &Panel) -> Option<&[(f64, f64)]> {
    let values = |strand: &Strand| -> Vec<f64> { strand.limit.iter().map(|it| it.1).collect() };
    let level = |strand: &Strand| {
        let values = values(strand);
        let first = *values.first()?;
        values.iter().all(|value| *value == first).then_some(first)
    };
    let first = level(panel.strands.first()?)?;
    let same = panel
        .strands
        .iter()
        .all(|strand| level(strand) == Some(first));
    let length = |strand: &&Strand| strand.limit.last().map_or(0.0, |it| it.0);
    let longest = panel
        .strands
        .iter()
        .max_by(|a, b| length(a).total_cmp(&length(b)))?;
    (same && panel.strands.len() > 1).then_some(&*longest.limit)
}

fn places(frame: &Frame, points: impl IntoIterator<Item = (f64, f64)>) -> Vec<Place> {
    let place = |(across, value)| frame.place(across, value);
    points.into_iter().map(place).collect()
}

fn draw_limit(sheet: &Sheet<'_>, frame: &Frame, limit: &[(f64, f64)]) {
    if limit.len() > 1 {
        sheet.line(&places(frame, limit.iter().copied()), Role::Bound, "1 4");
    }
}

fn draw_strand(sheet: &Sheet<'_>, frame: &Frame, strand: &Strand, course: &Course, many: bool) {
    if course.joined && strand.points.len() > 1 {
        let points = strand.points.iter().map(|spot| (spot.across, spot.value));
        sheet.line(
            &places(frame, points),
            Role::Line,
            dashes(strand.series % SERIES),
        );
        if !course.dotted {
            return;
        }
    }
    for spot in &strand.points {
        let place = frame.place(spot.across, spot.value);
        if let Some((low, high)) = spot.reach {
            let ends = [low, high].map(|end| frame.place(spot.across, end));
            sheet.rule(ends[0], ends[1], Role::Whisker, "");
        }
        if many {
            sheet.dot(place, &spot.title);
        } else {
            sheet.point(place, strand.series, &spot.title);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::check_labels;
    use super::*;
    use crate::figure::fixture::{buffers, language};
    use crate::figure::markup::tests::assert_balanced;

    fn sample(values: Notation, across: Notation, points: &[(f64, f64)], panels: usize) -> Course {
        let spot = |&(across, value): &(f64, f64)| Spot {
            across,
            value,
            title: "<here>".to_owned(),
            reach: (panels > 2).then_some((value - 1.0, value * 2.0)),
        };
        let strand = |series| Strand {
            series,
            points: points.iter().map(spot).collect(),
            limit: points.to_vec(),
        };
        let panel = |place: usize| Panel {
            title: format!("Plot {place}"),
            strands: vec![strand(place % 3), strand(1)],
        };
        Course {
            kind: "drift",
            title: "Title".to_owned(),
            series: (
                "Mode".to_owned(),
                vec!["a".to_owned(), "b & c".to_owned(), "d".to_owned()],
            ),
            panels: (0..panels).map(panel).collect(),
            joined: panels > 1,
            dotted: panels > 2,
            values: ("Abweichung vom Median des Falls".to_owned(), values),
            across: ("Zeit seit Beginn der Messung".to_owned(), across),
            apart: panels > 2,
            own_values: panels > 1,
            whole: false,
            whole_values: false,
            from_zero: true,
            across_from_zero: panels == 2,
            borders: vec![points.first().map_or(0.0, |it| it.0)],
        }
    }

    #[test]
    fn nothing_to_draw_says_so() {
        let (experiment, language) = (buffers(), language("en"));
        let reader = Reader {
            experiment: &experiment,
            language: &language,
        };
        let empty = sample(Notation::Percent, Notation::Duration, &[], 1);
        let body = course(reader, &empty, "");
        assert_eq!(body, "<p class=\"notice\">There are no values.</p>");
    }

    #[test]
    fn orders_have_whole_places() {
        let (experiment, language) = (buffers(), language("en"));
        let reader = Reader {
            experiment: &experiment,
            language: &language,
        };
        let points = [(1.0, 0.1), (2.0, -0.1), (3.0, 0.0)];
        let mut few = sample(Notation::Percent, Notation::Number(1.0), &points, 1);
        few.whole = true;
        let axes = axes(reader, &few).expect("axes");
        let ticks = axes.across.iter().flat_map(|axis| &axis.ticks);
        assert!(ticks.clone().count() > 0 && ticks.clone().all(|(tick, _)| tick.fract() == 0.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

        #[test]
        fn labels_never_meet_and_never_leave(
            points in prop::collection::vec((0.0..1e4_f64, prop_oneof![-1.0..1.0_f64, 0.0..1e12_f64, Just(0.0)]), 1..40),
            values in prop::sample::select(vec![Notation::Percent, Notation::Size, Notation::Number(1048576.0), Notation::Duration]),
            across in prop::sample::select(vec![Notation::Number(1.0), Notation::Duration, Notation::Size]),
            panels in 1_usize..4,
        ) {
            let (experiment, language) = (buffers(), language("ru"));
            let reader = Reader { experiment: &experiment, language: &language };
            let drawn = sample(values, across, &points, panels);
            assert_balanced(&course(reader, &drawn, "words"));
            let axes = axes(reader, &drawn).expect("axes");
            for size in [(720.0, 360.0), (340.0, 280.0), (340.0, 210.0)] {
                let drawing = draw(reader, &drawn, &drawn.panels[0], &axes, size);
                prop_assert!(!drawing.shapes.contains("NaN"));
                check_labels(&drawing, "a course");
            }
        }
    }
}
