//! Texts with `{placeholders}`.

/// The pieces of a message: words, and names of what is filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Words(&'a str),
    Placeholder(&'a str),
}

/// Splits a message at its placeholders; braces that hold no name are words.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut words = 0;
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let Some(close) = text[open..].find('}').map(|at| open + at) else {
            break;
        };
        let name = &text[open + 1..close];
        if is_name(name) {
            if words < open {
                pieces.push(Piece::Words(&text[words..open]));
            }
            pieces.push(Piece::Placeholder(name));
            words = close + 1;
            from = words;
        } else {
            from = open + 1;
        }
    }
    if words < text.len() {
        pieces.push(Piece::Words(&text[words..]));
    }
    pieces
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The names of what is filled in.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Placeholder(name) => Some(name),
        Piece::Words(_) => None,
    })
}

/// Writes a message, asking for the text of each placeholder.
pub(super) fn fill(text: &str, mut placeholder: impl FnMut(&str, &mut String)) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for piece in pieces(text) {
        match piece {
            Piece::Words(words) => out.push_str(words),
            Piece::Placeholder(name) => placeholder(name, &mut out),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn splits_messages_at_placeholders() {
        assert_eq!(
            pieces("a {b} c{d-2}"),
            [
                Piece::Words("a "),
                Piece::Placeholder("b"),
                Piece::Words(" c"),
                Piece::Placeholder("d-2")
            ]
        );
        assert_eq!(pieces("{ } {X} {"), [Piece::Words("{ } {X} {")]);
        assert_eq!(
            pieces("{{n}}"),
            [
                Piece::Words("{"),
                Piece::Placeholder("n"),
                Piece::Words("}")
            ]
        );
    }

    proptest! {
        #[test]
        fn pieces_join_to_the_message(text in "[a-z{} -]{0,24}") {
            let joined: String = pieces(&text)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Words(words) => words.to_owned(),
                    Piece::Placeholder(name) => format!("{{{name}}}"),
                })
                .collect();
            prop_assert_eq!(joined, text);
        }
    }
}
