//! The tables of several run folders joined into one, cell by cell as they stand.

use std::collections::BTreeSet;

/// A table of a run folder, and by how many seconds that run began after the first.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The table's text.
    pub text: &'a str,
    /// Seconds to add to each `at`.
    pub later: f64,
}

/// What is known of a table of samples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extent {
    /// Places in the plan's order that have a row.
    pub orders: BTreeSet<u32>,
    /// Blocks that have a row.
    pub blocks: BTreeSet<u32>,
}

/// A table as its cells.
struct Cells {
    header: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
}

impl Cells {
    fn read(text: &str) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| error.to_string())?.clone();
        let rows: Result<_, _> = reader.records().collect();
        Ok(Self {
            header,
            rows: rows.map_err(|error: csv::Error| error.to_string())?,
        })
    }

    fn column(&self, name: &str) -> Result<usize, String> {
        let found = self.header.iter().position(|it| it == name);
        found.ok_or_else(|| format!("there is no column `{name}`"))
    }
}

/// Finds out which trials a `samples.csv` holds.
pub fn extent(text: &str) -> Result<Extent, String> {
    let cells = Cells::read(text)?;
    let columns = [cells.column("order")?, cells.column("block")?];
    let mut extent = Extent::default();
    for row in &cells.rows {
        let [order, block] = columns.map(|column| whole(&row[column]));
        extent.orders.insert(order?);
        extent.blocks.insert(block?);
    }
    Ok(extent)
}

/// Joins tables whose rows stand in a plan's order (`samples.csv`, `timeline.csv`): by their places in
/// it, those of one place as they stood.
pub fn in_order(parts: &[Part<'_>]) -> Result<String, String> {
    let mut header: Option<csv::StringRecord> = None;
    let mut rows: Vec<(u32, csv::StringRecord)> = Vec::new();
    for part in parts {
        let cells = Cells::read(part.text)?;
        let [order, at] = [cells.column("order")?, cells.column("at")?];
        for row in &cells.rows {
            let place = whole(&row[order])?;
            rows.push((place, moved(row, at, part.later)?));
        }
        same(&mut header, cells.header)?;
    }
    rows.sort_by_key(|(place, _)| *place);
    Ok(written(header, rows.iter().map(|(_, row)| row)))
}

/// Joins tables of what holds for all trials (`settings.csv`): each row once, in the order of the first
/// that says it.
pub fn distinct(parts: &[Part<'_>]) -> Result<String, String> {
    let mut header: Option<csv::StringRecord> = None;
    let mut known: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut rows: Vec<csv::StringRecord> = Vec::new();
    for part in parts {
        let cells = Cells::read(part.text)?;
        for row in cells.rows {
            if known.insert(row.iter().map(ToOwned::to_owned).collect()) {
                rows.push(row);
            }
        }
        same(&mut header, cells.header)?;
    }
    Ok(written(header, rows.iter()))
}

fn whole(cell: &str) -> Result<u32, String> {
    let number = cell.trim().parse();
    number.map_err(|_| format!("`{cell}` is no whole number"))
}

fn moved(row: &csv::StringRecord, at: usize, later: f64) -> Result<csv::StringRecord, String> {
    let cell = &row[at];
    if later == 0.0 || cell.is_empty() {
        return Ok(row.clone());
    }
    let seconds: f64 = cell
        .trim()
        .parse()
        .map_err(|_| format!("`{cell}` is no number of seconds"))?;
    // No clock of a run tells less than a microsecond.
    let seconds = ((seconds + later) * 1e6).round() / 1e6;
    let cells = row.iter().enumerate();
    Ok(cells
        .map(|(column, cell)| {
            if column == at {
                seconds.to_string()
            } else {
                cell.to_owned()
            }
        })
        .collect())
}

fn same(header: &mut Option<csv::StringRecord>, own: csv::StringRecord) -> Result<(), String> {
    match header {
        Some(header) if *header != own => {
            let [one, other] = [&*header, &own].map(|it| it.iter().collect::<Vec<_>>().join(","));
            Err(format!("the columns `{one}` and `{other}` don't agree"))
        }
        Some(_) => Ok(()),
        None => {
            *header = Some(own);
            Ok(())
        }
    }
}

fn written<'a>(
    header: Option<csv::StringRecord>,
    rows: impl Iterator<Item = &'a csv::StringRecord>,
) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    // Writing into memory can't fail, and every cell is UTF-8.
    if let Some(header) = header {
        let _ = writer.write_record(&header);
    }
    for row in rows {
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, later: f64) -> Part<'_> {
        Part { text, later }
    }

    #[test]
    fn rows_are_sorted_by_order_and_moved_in_time() {
        let one = "cache,v,block,order,at,note\n1,0.10,0,0,0.5,\"a\nb\"\n2,,0,1,,\n1,3,2,4,9,\n";
        let other = "cache,v,block,order,at,note\n1,2e3,1,3,0.1,\n2,7,1,2,0.2,\n";
        let joined = in_order(&[part(one, 0.0), part(other, 5.0)]).expect("joined");
        assert_eq!(
            joined,
            "cache,v,block,order,at,note\n1,0.10,0,0,0.5,\"a\nb\"\n2,,0,1,,\n2,7,1,2,5.2,\n1,2e3,1,3,5.1,\n\
             1,3,2,4,9,\n"
        );
        let extent = extent(&joined).expect("an extent");
        assert_eq!(extent.orders.len(), 5);
        assert_eq!(extent.blocks, BTreeSet::from([0, 1, 2]));
    }

    #[test]
    fn what_holds_for_all_stands_once() {
        let one = "cache,setting,requested,effective\n1,a,1,1\n2,a,2,2\n";
        let other = "cache,setting,requested,effective\n1,a,1,1\n2,a,2,1\n";
        assert_eq!(
            distinct(&[part(one, 0.0), part(other, 9.0)]).expect("joined"),
            "cache,setting,requested,effective\n1,a,1,1\n2,a,2,2\n2,a,2,1\n"
        );
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let one = "order,at,v\n0,1,2\n";
        let other = "order,at,w\n1,1,2\n";
        let fault = in_order(&[part(one, 0.0), part(other, 0.0)]).expect_err("a fault");
        assert!(fault.contains("order,at,v"), "{fault}");
        assert!(in_order(&[part("order,v\n0,1\n", 0.0)]).is_err());
        assert!(in_order(&[part("order,at\nx,1\n", 0.0)]).is_err());
        assert!(in_order(&[part("order,at\n0,1,2\n", 0.0)]).is_err());
        assert!(extent("order,at\n0,1\n").is_err());
        assert_eq!(in_order(&[]), Ok(String::new()));
    }
}
