//! HTML and SVG written safely: every text passes through [`escape`].

/// Escapes a text for element content and for attributes in double quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters have no place in HTML or XML; a blank keeps words apart.
            control if control.is_control() && control != '\n' && control != '\t' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}
