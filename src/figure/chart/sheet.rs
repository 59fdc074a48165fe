//! A sheet to draw on, in units of the view box; it remembers where words stand.

use std::cell::RefCell;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};

use super::canvas::{Anchor, Canvas, Mark, Shape, TENTHS, Words};
use super::letters::{LINE, SIZE, widest};
use super::palette::{Role, marker};

/// A rectangle that words take up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LabelBox {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl LabelBox {
    /// The room of lines of text whose first baseline is at a place.
    pub(super) fn of(lines: &[String], x: f64, y: f64, anchor: Anchor) -> Self {
        let width = widest(lines.iter().map(String::as_str));
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let below = (lines.len().max(1) - 1) as f64 * LINE;
        Self {
            left,
            top: y - SIZE * 0.8,
            right: left + width,
            bottom: y + below + SIZE * 0.22,
        }
    }

    /// Whether two rectangles share more than an edge.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.left + 0.2 < other.right
            && other.left + 0.2 < self.right
            && self.top + 0.2 < other.bottom
            && other.top + 0.2 < self.bottom
    }
}

/// A sheet of a size.
pub(super) struct Sheet<'a> {
    area: DrawingArea<Canvas<'a>, Shift>,
    boxes: RefCell<Vec<LabelBox>>,
    /// Width in units of the view box.
    pub width: f64,
    /// Height in units of the view box.
    pub height: f64,
}

/// A place on the sheet.
pub(super) type Place = (f64, f64);

impl<'a> Sheet<'a> {
    /// An empty sheet.
    pub(super) fn new(out: &'a mut String, width: f64, height: f64, right_to_left: bool) -> Self {
        let size = ((width * TENTHS) as u32, (height * TENTHS) as u32);
        let area = Canvas::new(out, size, right_to_left).into_drawing_area();
        Self {
            area,
            boxes: RefCell::new(Vec::new()),
            width,
            height,
        }
    }

    fn mark(&self, points: &[Place], shape: Shape, role: Role, title: &str) {
        let tenths = |value: f64| (value * TENTHS).round().clamp(-1e8, 1e8) as i32;
        let points = points
            .iter()
            .map(|(x, y)| (tenths(*x), tenths(*y)))
            .collect();
        let mark = Mark {
            points,
            shape,
            role,
            title: title.to_owned(),
        };
        // The canvas writes to a string and can't fail.
        let _ = self.area.draw(&mark);
    }

    /// Opens a group.
    pub(super) fn open(&self, class: impl Into<String>) {
        self.mark(&[], Shape::Open(class.into()), Role::Axis, "");
    }

    /// Closes the group opened last.
    pub(super) fn close(&self) {
        self.mark(&[], Shape::Close, Role::Axis, "");
    }

    /// A line through points.
    pub(super) fn line(&self, points: &[Place], role: Role, dashes: &'static str) {
        self.mark(points, Shape::Line(dashes), role, "");
    }

    /// A straight line.
    pub(super) fn rule(&self, from: Place, to: Place, role: Role, title: &str) {
        let element = plotters::element::PathElement::new(
            vec![self.whole(from), self.whole(to)],
            role.style(),
        );
        if title.is_empty() {
            let _ = self.area.draw(&element);
        } else {
            self.mark(&[from, to], Shape::Line(""), role, title);
        }
    }

    fn whole(&self, (x, y): Place) -> (i32, i32) {
        ((x * TENTHS).round() as i32, (y * TENTHS).round() as i32)
    }

    /// An area within points.
    pub(super) fn area(&self, points: &[Place], role: Role) {
        self.mark(points, Shape::Area, role, "");
    }

    /// A rectangle between two corners.
    pub(super) fn rectangle(&self, corners: [Place; 2], role: Role, title: &str) {
        self.mark(&corners, Shape::Rectangle, role, title);
    }

    /// A series' own marker.
    pub(super) fn point(&self, place: Place, series: usize, title: &str) {
        let shape = marker(series).map_or(Shape::Circle(40), Shape::Outline);
        self.mark(&[place], shape, Role::Dot, title);
    }

    /// A small round dot: a sample.
    pub(super) fn dot(&self, place: Place, title: &str) {
        self.mark(&[place], Shape::Circle(35), Role::Sample, title);
    }

    /// A saltire where a value is missing.
    pub(super) fn missing(&self, place: Place, title: &str) {
        self.mark(&[place], Shape::Cross, Role::Missing, title);
    }

    /// An arrowhead that points by a step.
    pub(super) fn arrow(&self, tip: Place, (dx, dy): Place) {
        let (side_x, side_y) = (dy * 0.6, dx * 0.6);
        let base = (tip.0 - dx, tip.1 - dy);
        let corners = [
            tip,
            (base.0 + side_x, base.1 + side_y),
            (base.0 - side_x, base.1 - side_y),
        ];
        self.mark(&corners, Shape::Area, Role::Dot, "");
    }

    /// Lines of text with the first baseline at a place.
    pub(super) fn words(
        &self,
        place: Place,
        lines: &[String],
        anchor: Anchor,
        class: &'static str,
        title: &str,
    ) {
        if lines.iter().all(String::is_empty) {
            return;
        }
        self.boxes
            .borrow_mut()
            .push(LabelBox::of(lines, place.0, place.1, anchor));
        let words = Words {
            lines: lines.to_vec(),
            anchor,
            class,
            upright: false,
        };
        self.mark(&[place], Shape::Words(words), Role::Axis, title);
    }

    /// A line of text read from below, whose end stands at a place.
    pub(super) fn upright_words(&self, place: Place, line: &str, class: &'static str, title: &str) {
        let width = super::letters::width(line);
        self.boxes.borrow_mut().push(LabelBox {
            left: place.0 - SIZE * 0.8,
            top: place.1,
            right: place.0 + SIZE * 0.22,
            bottom: place.1 + width,
        });
        let lines = vec![line.to_owned()];
        let words = Words {
            lines,
            anchor: Anchor::End,
            class,
            upright: true,
        };
        self.mark(&[place], Shape::Words(words), Role::Axis, title);
    }

    /// Whether words would stand free and inside the sheet.
    pub(super) fn is_free(&self, room: &LabelBox) -> bool {
        let inside = room.left >= 0.0
            && room.top >= 0.0
            && room.right <= self.width
            && room.bottom <= self.height;
        inside && !self.boxes.borrow().iter().any(|other| other.meets(room))
    }

    /// Where words stand.
    pub(super) fn boxes(&self) -> Vec<LabelBox> {
        self.boxes.borrow().clone()
    }
}
