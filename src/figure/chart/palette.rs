//! What is drawn, as colours that the canvas turns into classes; the theme holds the real colours.

use plotters::style::{RGBColor, ShapeStyle};

/// How many series classes there are; further series use them again.
pub(super) const SERIES: usize = 8;

/// The part a shape plays: its class, and attributes that make it readable without a stylesheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A grid line.
    Grid,
    /// An axis line or tick mark.
    Axis,
    /// The line that joins the points of a series.
    Line,
    /// A band around a line.
    Area,
    /// A bar.
    Bar,
    /// A point.
    Dot,
    /// One sample beside others.
    Sample,
    /// The reach of an interval or range.
    Whisker,
    /// The median among its samples.
    Median,
    /// A thin line from a bound outwards.
    Bound,
    /// The place of a value that is missing.
    Missing,
}

const ROLES: [(Role, &str, &str); 11] = [
    (
        Role::Grid,
        "grid-line",
        "stroke=\"currentColor\" stroke-opacity=\".15\"",
    ),
    (
        Role::Axis,
        "axis-line",
        "stroke=\"currentColor\" stroke-opacity=\".6\"",
    ),
    (
        Role::Line,
        "line",
        "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\"",
    ),
    (
        Role::Area,
        "area",
        "fill=\"currentColor\" fill-opacity=\".15\"",
    ),
    (Role::Bar, "bar", "fill=\"currentColor\""),
    (Role::Dot, "dot", "fill=\"currentColor\""),
    (
        Role::Sample,
        "dot sample",
        "fill=\"currentColor\" fill-opacity=\".45\"",
    ),
    (
        Role::Whisker,
        "whisker",
        "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"",
    ),
    (
        Role::Median,
        "median",
        "stroke=\"currentColor\" stroke-width=\"3\"",
    ),
    (
        Role::Bound,
        "bound",
        "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"",
    ),
    (
        Role::Missing,
        "missing-mark",
        "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"",
    ),
];

impl Role {
    /// The colour that stands for the role.
    pub(super) fn color(self) -> RGBColor {
        let place = ROLES
            .iter()
            .position(|(role, ..)| *role == self)
            .unwrap_or_default();
        RGBColor(1, place as u8, 0)
    }

    /// The style that stands for the role.
    pub(super) fn style(self) -> ShapeStyle {
        ShapeStyle {
            color: self.color().into(),
            filled: true,
            stroke_width: 1,
        }
    }
}

/// Class and attributes for a colour of [`Role::color`].
pub(super) fn attributes(rgb: (u8, u8, u8)) -> (&'static str, &'static str) {
    match rgb {
        (1, place, 0) => ROLES
            .get(usize::from(place))
            .map_or(("", ""), |row| (row.1, row.2)),
        _ => ("", "fill=\"currentColor\""),
    }
}

/// The class of a series, counted from zero.
pub(super) fn series_class(series: usize) -> String {
    format!("series series-{}", series % SERIES + 1)
}

/// The dashes of a series' line, so that grey print tells them apart; none for the first.
pub(super) fn dashes(series: usize) -> &'static str {
    [
        "",
        "7 4",
        "2 3",
        "10 3 2 3",
        "12 4",
        "5 2 2 2 2 2",
        "1 4",
        "8 2",
    ][series % SERIES]
}

/// The outline of a series' point around the origin, in tenths; `None` is a circle.
pub(super) fn marker(series: usize) -> Option<&'static [(i32, i32)]> {
    const SQUARE: &[(i32, i32)] = &[(-34, -34), (34, -34), (34, 34), (-34, 34)];
    const TRIANGLE: &[(i32, i32)] = &[(0, -46), (44, 34), (-44, 34)];
    const DIAMOND: &[(i32, i32)] = &[(0, -50), (46, 0), (0, 50), (-46, 0)];
    const TURNED: &[(i32, i32)] = &[(0, 46), (44, -34), (-44, -34)];
    const PLUS: &[(i32, i32)] = &[
        (-14, -46),
        (14, -46),
        (14, -14),
        (46, -14),
        (46, 14),
        (14, 14),
        (14, 46),
        (-14, 46),
        (-14, 14),
        (-46, 14),
        (-46, -14),
        (-14, -14),
    ];
    const FLAT: &[(i32, i32)] = &[(-50, -22), (50, -22), (50, 22), (-50, 22)];
    const TALL: &[(i32, i32)] = &[(-22, -50), (22, -50), (22, 50), (-22, 50)];
    [
        None,
        Some(SQUARE),
        Some(TRIANGLE),
        Some(DIAMOND),
        Some(TURNED),
        Some(PLUS),
        Some(FLAT),
        Some(TALL),
    ][series % SERIES]
}
