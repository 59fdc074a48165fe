//! Axes, ticks, grid and titles around a plot, and how they are drawn.

use super::canvas::Anchor;
use super::letters::{LINE, SIZE, widest};
use super::palette::Role;
use super::sheet::{Place, Sheet};
use super::ticks::Axis;

/// The axis of rows.
#[derive(Debug, Clone)]
pub(super) enum Across {
    /// A place for each name.
    Names(Vec<String>),
    /// Values; several axes to choose from, the one with most ticks first.
    Values(Vec<Axis>),
}

/// What a frame has to hold.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// Width of the sheet.
    pub width: f64,
    /// Height of the sheet for upright frames; of one row for lying ones.
    pub height: f64,
    /// The axis of values: several to choose from, the one with most ticks first.
    pub values: Vec<Axis>,
    /// Title of the axis of values.
    pub value_title: String,
    /// The axis of rows.
    pub across: Across,
    /// Title of the axis of rows.
    pub across_title: String,
    /// Room kept free at the right for labels.
    pub right: f64,
    /// Room kept free beyond the low and the high end of the values for labels.
    pub overhang: (f64, f64),
}

/// Words beside a place on the axis of rows.
#[derive(Debug, Clone)]
pub(super) struct Label {
    /// The place.
    pub at: f64,
    /// The words, wrapped.
    pub lines: Vec<String>,
    /// The words before they were cut.
    pub whole: String,
}

/// A frame laid out.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// Size of the sheet.
    pub size: Place,
    /// Left, top, right and bottom edge of the plot.
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    /// Whether values run from left to right.
    pub lying: bool,
    /// The axis of values.
    pub value: Axis,
    /// The axis of rows, if they are values.
    pub across: Option<Axis>,
    /// How many names the axis of rows has.
    pub names: usize,
    /// What is written along the axis of rows.
    pub labels: Vec<Label>,
    /// Whether that is turned upright.
    pub turned: bool,
    /// Title of the axis of values.
    pub value_title: Vec<String>,
    /// Title of the axis of rows.
    pub across_title: Vec<String>,
}

/// Where the first line of a title at the top stands: its letters reach no higher than the sheet.
pub(super) const TITLE_BASE: f64 = 15.0;
/// Distance of words from what they belong to.
pub(super) const GAP: f64 = 8.0;

impl Frame {
    /// The place of a row (an index for names, a value for values) and a value.
    pub(super) fn place(&self, across: f64, value: f64) -> Place {
        let value = self.value.share(value);
        let across = match &self.across {
            Some(axis) => axis.share(across),
            None => (across + 0.5) / self.names.max(1) as f64,
        };
        if self.lying {
            let x = self.left + value * (self.right - self.left);
            (x, self.top + across * (self.bottom - self.top))
        } else {
            let x = self.left + across * (self.right - self.left);
            (x, self.bottom - value * (self.bottom - self.top))
        }
    }

    /// Room for one name.
    pub(super) fn slot(&self) -> f64 {
        let length = if self.lying {
            self.bottom - self.top
        } else {
            self.right - self.left
        };
        length / self.names.max(1) as f64
    }

    /// Where bars begin: zero, or the end of the axis nearest to it.
    pub(super) fn base(&self) -> f64 {
        if self.value.log {
            self.value.low
        } else {
            0f64.clamp(self.value.low, self.value.high)
        }
    }

    /// Draws grid, axes, ticks and titles.
    pub(super) fn draw(&self, sheet: &Sheet<'_>) {
        sheet.open("grid");
        let base = self.base();
        for (tick, _) in &self.value.ticks {
            let (x, y) = self.place(0.0, *tick);
            let role = if *tick == base && !self.value.log {
                Role::Axis
            } else {
                Role::Grid
            };
            if self.lying {
                sheet.rule((x, self.top), (x, self.bottom), role, "");
            } else {
                sheet.rule((self.left, y), (self.right, y), role, "");
            }
        }
        sheet.close();
        sheet.open("axis axis-value");
        self.draw_value_words(sheet);
        sheet.close();
        sheet.open("axis axis-rows");
        self.draw_across(sheet);
        sheet.close();
    }

    fn draw_value_words(&self, sheet: &Sheet<'_>) {
        let x = if self.lying && !self.across_title.is_empty() {
            self.left
        } else {
            0.0
        };
        sheet.words(
            (x, TITLE_BASE),
            &self.value_title,
            Anchor::Start,
            "axis-title",
            "",
        );
        for (tick, words) in &self.value.ticks {
            let (x, y) = self.place(0.0, *tick);
            let lines = std::slice::from_ref(words);
            if self.lying {
                sheet.words((x, self.bottom + LINE), lines, Anchor::Middle, "tick", "");
            } else {
                let place = (self.left - GAP, y + SIZE * 0.35);
                sheet.words(place, lines, Anchor::End, "tick", "");
            }
        }
    }

    fn draw_across(&self, sheet: &Sheet<'_>) {
        if self.lying {
            sheet.words(
                (0.0, TITLE_BASE),
                &self.across_title,
                Anchor::Start,
                "axis-title",
                "",
            );
            for label in &self.labels {
                let (_, y) = self.place(label.at, self.value.low);
                let up = (label.lines.len() - 1) as f64 * LINE / 2.0;
                let place = (self.label_edge(), y + SIZE * 0.35 - up);
                sheet.words(
                    place,
                    &label.lines,
                    Anchor::End,
                    "tick category",
                    label.cut(),
                );
            }
            return;
        }
        if self.base() > self.value.low || self.value.ticks.is_empty() || self.value.log {
            sheet.rule(
                (self.left, self.bottom),
                (self.right, self.bottom),
                Role::Axis,
                "",
            );
        }
        for label in &self.labels {
            let (x, _) = self.place(label.at, self.value.low);
            let y = self.bottom + 8.0;
            if self.across.is_some() {
                sheet.rule((x, self.bottom), (x, self.bottom + 4.0), Role::Axis, "");
            }
            if self.turned {
                let place = (x + SIZE * 0.3, y);
                let line = label.lines.first().map_or("", String::as_str);
                sheet.upright_words(place, line, "tick category", label.cut());
            } else {
                let place = (x, y + SIZE * 0.8);
                sheet.words(
                    place,
                    &label.lines,
                    Anchor::Middle,
                    "tick category",
                    label.cut(),
                );
            }
        }
        let x = f64::midpoint(self.left, self.right);
        let up = (self.across_title.len().max(1) - 1) as f64 * LINE;
        let place = (x, self.size.1 - 4.0 - up);
        sheet.words(place, &self.across_title, Anchor::Middle, "axis-title", "");
    }

    fn label_edge(&self) -> f64 {
        let wide = self
            .labels
            .iter()
            .flat_map(|it| it.lines.iter().map(String::as_str));
        widest(wide)
    }
}

impl Label {
    /// The whole text, if it was cut.
    fn cut(&self) -> &str {
        if self.lines.iter().any(|line| line.ends_with('…')) {
            &self.whole
        } else {
            ""
        }
    }
}
