//! A few rows written inside a block, read as an experiment of their own.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::load;
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::Experiment;
use crate::source::{File, Files};

/// Key of the factor that the first column gives.
pub const ROWS: &str = "row";

/// Path of the definition that is made up for rows in a block.
const DEFINITION: &str = "data/inline/experiment.toml";

/// Reads rows of CSV: the first column names the cases, every other is a metric. A cell of `–`
/// has no value. Faults point into the page.
pub fn read(rows: &[Span], report: &mut Report) -> Option<Experiment> {
    let mut records = records(rows).into_iter();
    let header = records.next()?;
    let (first, others) = header.split_first()?;
    if !is_table(&header, records.len(), rows.first()?, report) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for name in records.filter_map(|record| record.into_iter().next()) {
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    let numeric = names
        .iter()
        .all(|name| name.parse::<f64>().is_ok_and(f64::is_finite));
    let kind = if numeric { "number" } else { "nominal" };
    let mut definition = String::from("title = \"rows\"\nquestion = \"rows\"\n");
    let _ = write!(
        definition,
        "[factors.{ROWS}]\nlabel = {}\nkind = \"{kind}\"\n",
        quoted(first)
    );
    if !numeric {
        let levels: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        let _ = writeln!(definition, "levels = [{}]", levels.join(", "));
    }
    let mut columns = vec![format!("{} = \"{ROWS}\"", quoted(first))];
    for (index, name) in others.iter().enumerate() {
        let _ = write!(
            definition,
            "[metrics.column_{index}]\nlabel = {}\nunit = \"\"\n",
            quoted(name)
        );
        columns.push(format!("{} = \"column_{index}\"", quoted(name)));
    }
    let _ = write!(
        definition,
        "[[files]]\npath = \"rows.csv\"\norigin = \"published\"\nformat = \"csv\"\ndelimiter = \",\"\n\
         columns = {{ {} }}\nmissing = {{ \"–\" = \"not-published\" }}\n",
        columns.join(", "),
    );
    // The rows keep their lines, so that faults are shown where the author wrote them.
    let page = &rows.first()?.source;
    let lines = lines_of(rows);
    let mut padded = String::new();
    let mut line = 1;
    for (row, &own) in rows.iter().zip(&lines) {
        padded.push_str(&"\n".repeat(own.saturating_sub(line)));
        padded.push_str(row.text());
        line = line.max(own) + row.text().matches('\n').count();
    }
    let mut files = Files::default();
    let source = Source::new(DEFINITION, definition);
    files.insert(DEFINITION, File::Text(source));
    let source = Source::new(page.path.clone(), padded);
    files.insert("data/inline/rows.csv", File::Text(source));
    let mut found = Report::new();
    let experiment = load(&files, &[], &mut found).pop();
    found.drop_consequences();
    for fault in found.sorted() {
        report.push(into_page(fault, rows, &lines));
    }
    experiment.filter(|_| !found.has_errors())
}

/// The line of each row, found in one walk through the page.
fn lines_of(rows: &[Span]) -> Vec<usize> {
    let (mut at, mut line) = (0, 1);
    let mut lines = Vec::with_capacity(rows.len());
    for row in rows {
        let start = row.range.start;
        if start < at {
            (at, line) = (0, 1);
        }
        let passed = &row.source.text[at..start];
        line += passed.bytes().filter(|&byte| byte == b'\n').count();
        at = start;
        lines.push(line);
    }
    lines
}

/// A fault as the author of the page can understand it: at the page's own bytes, and without the
/// definition that nobody wrote.
fn into_page(fault: &Diagnostic, rows: &[Span], lines: &[usize]) -> Diagnostic {
    let mut moved = fault.clone();
    moved
        .labels
        .retain(|label| label.span.source.path != DEFINITION);
    for label in &mut moved.labels {
        let (line, _) = label.span.line_column();
        let row = lines.iter().position(|own| *own == line);
        let before = &label.span.source.text[..label.span.range.start];
        let offset = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        if let Some(row) = row.map(|at| &rows[at]) {
            label.span = row.within(offset..offset + label.span.range.len());
        }
    }
    if moved.labels.is_empty() {
        moved = moved.at(rows[0].clone(), "");
    }
    moved.help = match fault.code {
        Code::BadNumber => vec!["write `–` where there is no value".to_owned()],
        Code::DuplicateCase => vec!["give each row a name of its own".to_owned()],
        Code::RaggedRow => moved.help,
        _ => Vec::new(),
    };
    moved
}

/// Whether rows make a table; if not, what they lack is reported.
fn is_table(header: &[String], rows: usize, place: &Span, report: &mut Report) -> bool {
    let twice = header
        .iter()
        .enumerate()
        .find_map(|(index, name)| header[..index].contains(name).then_some(name));
    let (message, place) = match twice {
        Some(name) => (
            format!("two columns have the name `{name}`"),
            place.narrowed(name),
        ),
        None if header.len() < 2 => (
            "these rows have no column of values".to_owned(),
            place.clone(),
        ),
        None if rows == 0 => ("these rows have a header only".to_owned(), place.clone()),
        None => return true,
    };
    report.push(Diagnostic::new(Code::BadBlock, message).at(place, "").help(
        "the first line names the columns, as in `size,old,new`; each line after it is a row",
    ));
    false
}

/// The cells of each line that isn't empty. What can't be read is left for `load` to report.
fn records(rows: &[Span]) -> Vec<Vec<String>> {
    let lines: Vec<&str> = rows.iter().map(Span::text).collect();
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(lines.join("\n").as_bytes())
        .records()
        .map_while(Result::ok)
        .map(|record| record.iter().map(str::to_owned).collect())
        .filter(|record: &Vec<String>| record.iter().any(|cell| !cell.is_empty()))
        .collect()
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_rows(rows: &str) -> (Option<Experiment>, Report) {
        let page = Source::new("content/a.md", format!("+++\n+++\n{rows}"));
        let mut report = Report::new();
        let lines: Vec<Span> = (3..=page.text.lines().count())
            .map(|line| Span::line(&page, line))
            .collect();
        let experiment = read(&lines, &mut report);
        (experiment, report)
    }

    #[test]
    fn rows_are_cases_and_columns_are_metrics() {
        let (experiment, report) = read_rows("size,old,new\n1,2,3\n4,–,6\n");
        let experiment = experiment.expect("an experiment");
        assert!(!report.has_errors(), "{report:?}");
        assert_eq!(experiment.definition.factors[0].levels.len(), 2);
        assert_eq!(experiment.definition.metrics.len(), 2);
        assert_eq!(experiment.observations.len(), 4);
    }

    #[test]
    fn quoted_names_hold_commas_and_quotes() {
        let rows = "name,size\n\"a, \"\"b\"\"\",1\nc,2\n";
        let (experiment, report) = read_rows(rows);
        assert!(!report.has_errors(), "{report:?}");
        let levels = &experiment.expect("an experiment").definition.factors[0].levels;
        assert_eq!(levels[0].key, "a, \"b\"");
    }

    #[test]
    fn faults_point_into_the_page() {
        let (_, report) = read_rows("size,old\n1,2\n4,x\n");
        let faults = report.sorted();
        let span = &faults[0].labels[0].span;
        assert_eq!(span.source.path, "content/a.md");
        assert_eq!(span.line_column().0, 5);
    }

    #[test]
    fn hostile_headers_stay_texts() {
        let (experiment, report) = read_rows("a\"]\n[metrics,b\nx,1\n");
        drop((experiment, report));
    }
}
