//! The plotters backend that writes SVG: classes instead of colours, tenths instead of pixels,
//! a title on every shape that has something to say.

use std::convert::Infallible;
use std::fmt::Write as _;

use plotters::element::{Drawable, PointCollection};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::letters::{LINE, SIZE};
use super::palette::{Role, attributes};
use crate::figure::markup::escape_into;

/// Units of the backend in one unit of the view box.
pub(super) const TENTHS: f64 = 10.0;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// An SVG picture in the making.
#[derive(Debug)]
pub(super) struct Canvas<'a> {
    out: &'a mut String,
    size: (u32, u32),
    right_to_left: bool,
    title: String,
}

impl<'a> Canvas<'a> {
    /// A canvas of a size in tenths.
    pub(super) fn new(out: &'a mut String, size: (u32, u32), right_to_left: bool) -> Self {
        Self {
            out,
            size,
            right_to_left,
            title: String::new(),
        }
    }

    fn number(&mut self, key: &str, tenths: i32) {
        let _ = write!(self.out, " {key}=\"");
        tenth(self.out, tenths);
        self.out.push('"');
    }

    fn start(&mut self, element: &str, color: BackendColor) {
        let (class, rest) = attributes(color.rgb);
        let _ = write!(self.out, "<{element} ");
        if !class.is_empty() {
            let _ = write!(self.out, "class=\"{class}\" ");
        }
        self.out.push_str(rest);
    }

    fn points(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        self.out.push_str(" points=\"");
        for (index, (x, y)) in points.into_iter().enumerate() {
            if index > 0 {
                self.out.push(' ');
            }
            tenth(self.out, x);
            self.out.push(',');
            tenth(self.out, y);
        }
        self.out.push('"');
    }

    /// Ends an element; the title that was waiting goes inside.
    fn end(&mut self, element: &str) {
        if self.title.is_empty() {
            self.out.push_str("/>");
        } else {
            self.out.push_str("><title>");
            escape_into(self.out, &self.title);
            let _ = write!(self.out, "</title></{element}>");
            self.title.clear();
        }
    }

    fn words(&mut self, place: BackendCoord, words: &Words) {
        let anchor = match (words.anchor, self.right_to_left) {
            (Anchor::Middle, _) => " text-anchor=\"middle\"",
            (Anchor::Start, false) | (Anchor::End, true) => "",
            (Anchor::End, false) | (Anchor::Start, true) => " text-anchor=\"end\"",
        };
        let _ = write!(self.out, "<text class=\"{}\"", words.class);
        if words.upright {
            self.out.push_str(" transform=\"rotate(-90 ");
            tenth(self.out, place.0);
            self.out.push(' ');
            tenth(self.out, place.1);
            self.out.push_str(")\"");
        }
        self.number("x", place.0);
        self.number("y", place.1);
        let _ = write!(self.out, "{anchor} fill=\"currentColor\">");
        if !self.title.is_empty() {
            self.out.push_str("<title>");
            escape_into(self.out, &self.title);
            self.out.push_str("</title>");
            self.title.clear();
        }
        for (index, line) in words.lines.iter().enumerate() {
            if index == 0 {
                escape_into(self.out, line);
                continue;
            }
            self.out.push_str("<tspan");
            self.number("x", place.0);
            let _ = write!(self.out, " dy=\"{LINE}\">");
            escape_into(self.out, line);
            self.out.push_str("</tspan>");
        }
        self.out.push_str("</text>");
    }
}

/// Writes tenths as a decimal without needless zeros.
fn tenth(out: &mut String, tenths: i32) {
    let sign = if tenths < 0 { "-" } else { "" };
    let (whole, rest) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    let _ = if rest == 0 {
        write!(out, "{sign}{whole}")
    } else {
        write!(out, "{sign}{whole}.{rest}")
    };
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.draw_rect(point, (point.0 + 10, point.1 + 10), &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.start("line", style.color());
        self.number("x1", from.0);
        self.number("y1", from.1);
        self.number("x2", to.0);
        self.number("y2", to.1);
        self.end("line");
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        _fill: bool,
    ) -> Drawn {
        self.start("rect", style.color());
        self.number("x", upper_left.0.min(bottom_right.0));
        self.number("y", upper_left.1.min(bottom_right.1));
        self.number("width", (bottom_right.0 - upper_left.0).abs());
        self.number("height", (bottom_right.1 - upper_left.1).abs());
        self.end("rect");
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.start("polyline", style.color());
        self.points(path);
        self.end("polyline");
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Drawn {
        self.start("circle", style.color());
        self.number("cx", center.0);
        self.number("cy", center.1);
        self.number("r", radius.min(10_000) as i32);
        self.end("circle");
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.start("polygon", style.color());
        self.points(corners);
        self.end("polygon");
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        place: BackendCoord,
    ) -> Drawn {
        let anchor = match style.anchor().h_pos {
            HPos::Left => Anchor::Start,
            HPos::Center => Anchor::Middle,
            HPos::Right => Anchor::End,
        };
        let drop = match style.anchor().v_pos {
            VPos::Top => 0.8,
            VPos::Center => 0.35,
            VPos::Bottom => 0.0,
        };
        let place = (place.0, place.1 + (drop * SIZE * TENTHS) as i32);
        let words = Words {
            lines: vec![text.to_owned()],
            anchor,
            class: "tick",
            upright: false,
        };
        self.words(place, &words);
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        _style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((
            (super::letters::width(text) * TENTHS) as u32,
            (SIZE * TENTHS) as u32,
        ))
    }
}

/// Which end of a text stands at its place, whatever way the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// Lines of text; the place is the first line's baseline.
#[derive(Debug, Clone)]
pub(super) struct Words {
    /// The lines from top to bottom.
    pub lines: Vec<String>,
    /// Which end stands at the place.
    pub anchor: Anchor,
    /// Its class.
    pub class: &'static str,
    /// Whether it is turned to be read from below.
    pub upright: bool,
}

/// What a [`Mark`] draws at its points.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// A line through all points, with dashes.
    Line(&'static str),
    /// An area within all points.
    Area,
    /// A rectangle between two corners.
    Rectangle,
    /// An outline around the point, in tenths.
    Outline(&'static [(i32, i32)]),
    /// A circle of a radius in tenths.
    Circle(u32),
    /// A saltire around the point.
    Cross,
    /// Text.
    Words(Words),
    /// The start of a group.
    Open(String),
    /// The end of a group.
    Close,
}

/// Our own plotters element: a shape with a role and, maybe, a title.
#[derive(Debug, Clone)]
pub(super) struct Mark<C> {
    /// Where it is.
    pub points: Vec<C>,
    /// What is drawn.
    pub shape: Shape,
    /// The part it plays.
    pub role: Role,
    /// What a pointer that rests on it reads; may be empty.
    pub title: String,
}

impl<'a, C: 'a> PointCollection<'a, C> for &'a Mark<C> {
    type Point = &'a C;
    type IntoIter = std::slice::Iter<'a, C>;

    fn point_iter(self) -> Self::IntoIter {
        self.points.iter()
    }
}

impl<C> Drawable<Canvas<'_>> for Mark<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut points: I,
        canvas: &mut Canvas<'_>,
        _size: (u32, u32),
    ) -> Drawn {
        canvas.title.clone_from(&self.title);
        let style = self.role.style();
        match &self.shape {
            Shape::Open(class) => {
                canvas.out.push_str("<g class=\"");
                escape_into(canvas.out, class);
                canvas.out.push_str("\">");
            }
            Shape::Close => canvas.out.push_str("</g>"),
            Shape::Line(dashes) => {
                canvas.start("polyline", BackendStyle::color(&style));
                if !dashes.is_empty() {
                    let _ = write!(canvas.out, " stroke-dasharray=\"{dashes}\"");
                }
                canvas.points(points);
                canvas.end("polyline");
            }
            Shape::Area => canvas.fill_polygon(points, &style)?,
            Shape::Rectangle => {
                if let (Some(first), Some(second)) = (points.next(), points.next()) {
                    canvas.draw_rect(first, second, &style, true)?;
                }
            }
            Shape::Outline(outline) => {
                if let Some((x, y)) = points.next() {
                    let corners = outline.iter().map(|(dx, dy)| (x + dx, y + dy));
                    canvas.fill_polygon(corners, &style)?;
                }
            }
            Shape::Circle(radius) => {
                if let Some(center) = points.next() {
                    canvas.draw_circle(center, *radius, &style, true)?;
                }
            }
            Shape::Cross => {
                if let Some((x, y)) = points.next() {
                    let arms = [(-40, -40), (40, 40), (0, 0), (40, -40), (-40, 40)];
                    canvas.draw_path(arms.map(|(dx, dy)| (x + dx, y + dy)), &style)?;
                }
            }
            Shape::Words(words) => {
                if let Some(place) = points.next() {
                    canvas.words(place, words);
                }
            }
        }
        canvas.title.clear();
        Ok(())
    }
}
