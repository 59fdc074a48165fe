//! Frames laid out by the measured widths of their words, so that nothing is cut and nothing
//! overlaps.

use super::frame::{Across, Frame, GAP, Label, Order};
use super::letters::{LINE, SIZE, widest, width, wrap};
use super::numerals::power_words;
use super::ticks::Axis;

/// Most lines of a title.
const TITLE_LINES: usize = 3;

impl Frame {
    /// Values upwards, rows from left to right.
    pub(super) fn upright(order: &Order) -> Self {
        let title = titled(&order.value_title, order.values.first());
        let value_title = wrap(&title, order.width, TITLE_LINES);
        let top = title_height(&value_title) + SIZE * 0.5 + order.overhang.1;
        let mut frame = Self {
            size: (order.width, order.height),
            left: 0.0,
            top,
            right: order.width - order.right,
            bottom: 0.0,
            lying: false,
            value: Axis {
                low: 0.0,
                high: 1.0,
                log: false,
                ticks: Vec::new(),
                power: 0,
            },
            across: None,
            names: 0,
            labels: Vec::new(),
            turned: false,
            value_title,
            across_title: Vec::new(),
        };
        let wide = widest_tick(&order.values);
        frame.left = wide + GAP + 1.0;
        if let Across::Values(axes) = &order.across {
            // The first tick may stand right at the edge.
            frame.left = frame.left.max(widest_tick(axes) / 2.0);
        }
        frame.place_across(&order.across, order.right);
        frame.across_title = wrap(&across_title(order), frame.right - frame.left, 2);
        let below = if frame.turned {
            widest(
                frame
                    .labels
                    .iter()
                    .flat_map(|it| it.lines.iter().map(String::as_str)),
            )
        } else {
            frame
                .labels
                .iter()
                .map(|it| it.lines.len())
                .max()
                .unwrap_or(0) as f64
                * LINE
        };
        let below_title = title_height(&frame.across_title) - 6.0;
        // Words below the plot may take at most half of the sheet: then the sheet grows.
        let needed = frame.top + below + below_title + 14.0 + 120.0 + order.overhang.0;
        frame.size.1 = frame.size.1.max(needed.ceil());
        frame.bottom = frame.size.1 - below - below_title - 10.0 - order.overhang.0;
        frame.value = fitting(&order.values, frame.bottom - frame.top, |_| LINE);
        frame
    }

    /// Values from left to right, rows downwards.
    pub(super) fn lying(order: &Order) -> Self {
        let names = match &order.across {
            Across::Names(names) => names.clone(),
            Across::Values(_) => Vec::new(),
        };
        let most = order.width * 0.4;
        let labels: Vec<Label> = names
            .iter()
            .enumerate()
            .map(|(row, name)| Label {
                at: row as f64,
                lines: wrap(name, most, 3),
                whole: name.clone(),
            })
            .collect();
        let lines = |it: &Label| it.lines.len().max(1) as f64 * LINE + 4.0;
        let tallest = labels.iter().map(lines).fold(order.height, f64::max);
        let left = widest(
            labels
                .iter()
                .flat_map(|it| it.lines.iter().map(String::as_str)),
        );
        let left = if left > 0.0 { left + GAP } else { 1.0 };
        let last = widest_tick(&order.values);
        let start = (left + order.overhang.0).max(last / 2.0);
        let title = titled(&order.value_title, order.values.first());
        let (value_title, across_title) = side_titles(order, &title, start);
        let head = title_height(&value_title).max(title_height(&across_title));
        let top = head + 4.0;
        let bottom = top + tallest * names.len().max(1) as f64;
        let right = order.width - order.right.max(last / 2.0 + 1.0).max(order.overhang.1);
        Self {
            size: (order.width, (bottom + LINE + 8.0).ceil()),
            left: start,
            top,
            right,
            bottom,
            lying: true,
            value: fitting(&order.values, right - start, |words| {
                width(words) + GAP * 2.0
            }),
            across: None,
            names: names.len(),
            labels,
            turned: false,
            value_title,
            across_title,
        }
    }

    fn place_across(&mut self, across: &Across, room_right: f64) {
        match across {
            Across::Names(names) => self.place_names(names),
            Across::Values(axes) => {
                let overhang = axes.first().and_then(|axis| axis.ticks.last());
                let overhang = overhang.map_or(0.0, |(_, words)| width(words) / 2.0);
                self.right -= (overhang - room_right).max(0.0);
                let length = self.right - self.left;
                let axis = fitting(axes, length, |words| width(words) + GAP);
                self.labels = axis
                    .ticks
                    .iter()
                    .map(|(at, words)| Label {
                        at: *at,
                        lines: vec![words.clone()],
                        whole: words.clone(),
                    })
                    .collect();
                self.across = Some(axis);
            }
        }
    }

    fn place_names(&mut self, names: &[String]) {
        self.names = names.len();
        let slot = (self.right - self.left) / names.len().max(1) as f64;
        let label = |(row, name): (usize, &String), lines: Vec<String>| Label {
            at: row as f64,
            lines,
            whole: name.clone(),
        };
        if names_fit(names, slot, 3) {
            let lines = |name: &String| wrap(name, slot - 6.0, 3);
            self.labels = names
                .iter()
                .enumerate()
                .map(|it| label(it, lines(it.1)))
                .collect();
            return;
        }
        let stride = (LINE / slot).ceil().max(1.0) as usize;
        self.turned = true;
        self.labels = names
            .iter()
            .enumerate()
            .step_by(stride)
            .map(|it| label(it, wrap(it.1, 120.0, 1)))
            .collect();
    }
}

/// Whether names stand side by side, wrapped, without being cut.
pub(super) fn names_fit(names: &[String], slot: f64, lines: usize) -> bool {
    let whole_words = |name: &String| {
        name.split([' ', '-', '_', '/'])
            .all(|word| width(word) + width("-") <= slot - 6.0)
    };
    let fits = |name: &String| {
        let lines = wrap(name, slot - 6.0, lines);
        !lines
            .last()
            .is_some_and(|line| line.ends_with('…') && !name.ends_with('…'))
    };
    names.iter().all(|name| whole_words(name) && fits(name))
}

/// The first axis whose tick words don't meet; else the last one with every n-th tick.
fn fitting(axes: &[Axis], length: f64, room: impl Fn(&str) -> f64) -> Axis {
    let fits = |axis: &Axis| {
        axis.ticks.windows(2).all(|pair| {
            let distance = (axis.share(pair[1].0) - axis.share(pair[0].0)) * length;
            distance >= f64::midpoint(room(&pair[0].1), room(&pair[1].1))
        })
    };
    if let (Some(first), Some(axis)) = (axes.first(), axes.iter().find(|axis| fits(axis))) {
        return within(first, axis).unwrap_or_else(|| axis.clone());
    }
    let mut axis = axes.last().cloned().unwrap_or(Axis {
        low: 0.0,
        high: 1.0,
        log: false,
        ticks: Vec::new(),
        power: 0,
    });
    while !fits(&axis) {
        let mut index = 0;
        axis.ticks.retain(|_| {
            index += 1;
            index % 2 == 1
        });
    }
    axis
}

/// An axis with the ends of another one, as long as two of its ticks are left: fewer ticks need
/// not mean a longer axis.
fn within(ends: &Axis, axis: &Axis) -> Option<Axis> {
    let slack = (ends.high - ends.low) * 1e-9;
    let inside = |tick: f64| tick >= ends.low - slack && tick <= ends.high + slack;
    let mut axis = Axis {
        low: ends.low,
        high: ends.high,
        ..axis.clone()
    };
    axis.ticks.retain(|(tick, _)| inside(*tick));
    (axis.ticks.len() > 1 && axis.power == ends.power).then_some(axis)
}

fn widest_tick(axes: &[Axis]) -> f64 {
    axes.iter()
        .map(|axis| widest(tick_words(axis)))
        .fold(0.0, f64::max)
}

fn tick_words(axis: &Axis) -> impl Iterator<Item = &str> {
    axis.ticks.iter().map(|(_, words)| words.as_str())
}

fn titled(title: &str, axis: Option<&Axis>) -> String {
    match axis.map_or(0, |axis| axis.power) {
        0 => title.to_owned(),
        power => format!("{title}, {}", power_words(power)),
    }
}

fn across_title(order: &Order) -> String {
    match &order.across {
        Across::Names(_) => order.across_title.clone(),
        Across::Values(axes) => titled(&order.across_title, axes.first()),
    }
}

/// The titles of a lying frame: side by side if the rows' title fits above its names and leaves
/// the other enough room.
fn side_titles(order: &Order, value_title: &str, left: f64) -> (Vec<String>, Vec<String>) {
    let beside = wrap(value_title, order.width - left, 2);
    let cut = beside.last().is_some_and(|line| line.ends_with('…'));
    if width(&order.across_title) + GAP <= left && !order.across_title.is_empty() && !cut {
        (beside, vec![order.across_title.clone()])
    } else {
        (wrap(value_title, order.width, TITLE_LINES), Vec::new())
    }
}

fn title_height(lines: &[String]) -> f64 {
    if lines.iter().all(String::is_empty) {
        4.0
    } else {
        lines.len() as f64 * LINE + 10.0
    }
}
