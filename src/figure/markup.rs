//! HTML and SVG written safely: every text passes through [`escape`].

use crate::text::letter::has_no_place;

/// Escapes a text for element content and for attributes in double quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    escape_into(&mut out, text);
    out
}

/// Appends an escaped text.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            // Control characters and non-characters have no place in HTML or XML; a blank keeps
            // words apart.
            control if has_no_place(control) || control == '\r' => out.push(' '),
            other => out.push(other),
        }
    }
}

/// A writer of elements that closes what it opened.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    out: String,
    open: Vec<&'static str>,
}

impl Markup {
    /// Opens an element; empty attributes are left out.
    pub(crate) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) -> &mut Self {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes.iter().filter(|(_, value)| !value.is_empty()) {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            escape_into(&mut self.out, value);
            self.out.push('"');
        }
        self.out.push('>');
        self.open.push(name);
        self
    }

    /// Writes escaped text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        escape_into(&mut self.out, text);
        self
    }

    /// Writes ready markup.
    pub(crate) fn raw(&mut self, markup: &str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Closes the innermost open element.
    pub(crate) fn close(&mut self) -> &mut Self {
        if let Some(name) = self.open.pop() {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
        self
    }

    /// Writes a whole element that holds only text.
    pub(crate) fn element(
        &mut self,
        name: &'static str,
        attributes: &[(&str, &str)],
        text: &str,
    ) -> &mut Self {
        self.open(name, attributes).text(text).close()
    }

    /// Closes what is still open and hands over the markup.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }
}

/// Wraps a wide table so that it scrolls by itself, reachable by keyboard. A group and no region: a
/// page full of landmarks has none.
pub(crate) fn scroll(label: &str, table: &str) -> String {
    let mut out = Markup::default();
    let place = [
        ("class", "scroll"),
        ("role", "group"),
        ("tabindex", "0"),
        ("aria-label", label),
    ];
    out.open("div", &place).raw(table);
    out.finish()
}

/// A short plain notice in place of a figure that has nothing to show.
pub(crate) fn notice(text: &str) -> String {
    let mut out = Markup::default();
    out.element("p", &[("class", "notice")], text);
    out.finish()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Panics unless every element is closed in order and every attribute is quoted.
    pub(crate) fn assert_balanced(markup: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = markup;
        while let Some(start) = rest.find('<') {
            assert!(
                !rest[..start].contains('>'),
                "a bare > in {}",
                &rest[..start]
            );
            let end = rest.find('>').expect("an element ends");
            let element = &rest[start + 1..end];
            assert!(!element.contains('<'), "a bare < in {element}");
            assert_eq!(element.matches('"').count() % 2, 0, "quotes in {element}");
            if let Some(name) = element.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "in {markup}");
            } else if !element.ends_with('/') {
                let name = element.split([' ', '\n']).next().expect("a name");
                if !matches!(name, "br" | "col" | "wbr") {
                    open.push(name);
                }
            }
            rest = &rest[end + 1..];
        }
        assert_eq!(open, Vec::<&str>::new());
    }

    #[test]
    fn closes_what_it_opened() {
        let mut out = Markup::default();
        out.open("p", &[("class", ""), ("title", "a\"b<")])
            .text("x < y")
            .open("b", &[]);
        let markup = out.finish();
        assert_eq!(markup, "<p title=\"a&quot;b&lt;\">x &lt; y<b></b></p>");
        assert_balanced(&markup);
    }

    #[test]
    fn control_characters_become_blanks() {
        assert_eq!(escape("a\u{0}b\u{1b}c\u{ffff}d\ne"), "a b c d\ne");
    }
}
