//! What differs between what two states of a site say.

use std::collections::BTreeMap;

use super::figure::{self, FigureChange};
use crate::pipeline::{Statement, StatementKind};

/// One thing that differs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    /// Path of the page's text.
    pub(super) page: String,
    /// One-based line and column, in the new state where it is there.
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) kind: StatementKind,
    /// As it is written on the page.
    pub(super) written: String,
    /// What readers saw; none where it wasn't there.
    pub(super) before: Option<String>,
    /// What readers see; none where it isn't there any more.
    pub(super) after: Option<String>,
    /// How a figure that both have differs.
    pub(super) figure: Option<FigureChange>,
}

/// What a statement is found again by: page, kind, how it is written, and which of those that are written
/// alike it is.
type Key<'a> = (&'a str, StatementKind, &'a str, usize);

fn keyed(statements: &[Statement]) -> BTreeMap<Key<'_>, &Statement> {
    let mut alike: BTreeMap<(&str, StatementKind, &str), usize> = BTreeMap::new();
    let mut keyed = BTreeMap::new();
    for statement in statements {
        let page = &*statement.place.source.path;
        let (kind, written) = (statement.kind, &*statement.written);
        let number = alike.entry((page, kind, written)).or_default();
        keyed.insert((page, kind, written, *number), statement);
        *number += 1;
    }
    keyed
}

/// Everything that differs, by page and place.
pub(super) fn find(before: &[Statement], after: &[Statement]) -> Vec<Change> {
    let (old, new) = (keyed(before), keyed(after));
    let mut changes = Vec::new();
    for (key, statement) in &new {
        let before = old.get(key).copied();
        if before.is_some_and(|before| before.said == statement.said) {
            continue;
        }
        changes.extend(change(before, Some(statement)));
    }
    for (key, statement) in &old {
        if !new.contains_key(key) {
            changes.extend(change(Some(statement), None));
        }
    }
    changes.sort_by(|a, b| {
        let place = |it: &Change| (it.line, it.column, it.kind, it.after.is_some());
        a.page.cmp(&b.page).then(place(a).cmp(&place(b)))
    });
    changes
}

/// `None` where readers see no difference.
fn change(before: Option<&Statement>, after: Option<&Statement>) -> Option<Change> {
    let there = after.or(before)?;
    let (line, column) = there.place.line_column();
    let figure = match (there.kind, before, after) {
        (StatementKind::Figure, Some(before), Some(after)) => {
            let change = figure::compare(&before.said, &after.said);
            if change.is_empty() {
                return None;
            }
            Some(change)
        }
        _ => None,
    };
    let said = |statement: &Statement| match statement.kind {
        // A figure's whole data are no text for a line.
        StatementKind::Figure => String::new(),
        _ => statement.said.clone(),
    };
    Some(Change {
        page: there.place.source.path.clone(),
        line,
        column,
        kind: there.kind,
        written: there.written.clone(),
        before: before.map(said),
        after: after.map(said),
        figure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Source, Span};

    fn statement(
        page: &str,
        line: usize,
        kind: StatementKind,
        written: &str,
        said: &str,
    ) -> Statement {
        let source = Source::new(page, "\n".repeat(line) + "text");
        Statement {
            kind,
            place: Span::line(&source, line),
            written: written.to_owned(),
            said: said.to_owned(),
        }
    }

    #[test]
    fn statements_are_found_again_where_texts_moved() {
        use StatementKind::{Claim, Value};
        let before = [
            statement("b.md", 3, Value, "best()", "10"),
            statement("b.md", 5, Value, "best()", "10"),
            statement("a.md", 1, Claim, "x > 1", "holds"),
            statement("a.md", 2, Value, "gone()", "7"),
        ];
        let after = [
            statement("b.md", 4, Value, "best()", "10"),
            statement("b.md", 9, Value, "best()", "12"),
            statement("a.md", 1, Claim, "x > 1", "refuted"),
            statement("a.md", 3, Value, "new()", "8"),
        ];
        let found: Vec<_> = find(&before, &after)
            .into_iter()
            .map(|it| (it.page, it.line, it.before, it.after))
            .collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            found,
            [
                ("a.md".to_owned(), 1, some("holds"), some("refuted")),
                ("a.md".to_owned(), 2, some("7"), None),
                ("a.md".to_owned(), 3, None, some("8")),
                ("b.md".to_owned(), 9, some("10"), some("12")),
            ]
        );
        assert!(find(&after, &after).is_empty());
    }
}
