//! Times, sizes and tables as a terminal shows them, in English.

/// A length of time in its two largest parts: `2 h 5 min`, `12.3 s`, `45 ms`.
pub(super) fn duration(seconds: f64) -> String {
    // Larger part and its seconds, smaller part and its seconds.
    const PARTS: [(&str, f64, &str, f64); 3] = [
        ("min", 60.0, "s", 1.0),
        ("h", 3600.0, "min", 60.0),
        ("d", 86_400.0, "h", 3600.0),
    ];
    if seconds > 0.0 && seconds < 0.9995 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 59.95 {
        return format!("{} s", (seconds * 10.0).round() / 10.0);
    }
    // Rounded to the smaller part before it is taken apart, so that 60 of one never shows.
    let rounded = |unit: f64| (seconds / unit).round() * unit;
    let fits = |at: &usize| {
        PARTS
            .get(at + 1)
            .is_none_or(|next| rounded(PARTS[*at].3) < next.1)
    };
    let (large, size, small, unit) = PARTS[(0..PARTS.len()).find(fits).unwrap_or(0)];
    let (whole, rest) = ((rounded(unit) / size).floor(), rounded(unit) % size / unit);
    match rest {
        0.0 => format!("{whole} {large}"),
        _ => format!("{whole} {large} {rest} {small}"),
    }
}

/// An amount of data in its largest unit: `300 MiB`, `1.5 GiB`.
pub(super) fn size(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let places = usize::from(value < 9.95 && unit > 0);
    format!("{value:.places$} {}", UNITS[unit])
}

/// Where the texts of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// Rows with aligned columns, two blanks apart, each line after an indent.
pub(super) fn columns(rows: &[Vec<String>], sides: &[Side], indent: usize) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| wide(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..sides.len()).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = " ".repeat(indent);
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                line.push_str("  ");
            }
            let gap = " ".repeat(widths[column].saturating_sub(wide(cell)));
            match sides[column] {
                Side::Left => line.extend([cell.as_str(), &gap]),
                Side::Right => line.extend([gap.as_str(), cell]),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// How many columns of a terminal a text takes; colours take none.
pub(super) fn wide(text: &str) -> usize {
    let plain = anstream::adapter::strip_str(text).to_string();
    plain.chars().count()
}

/// A text in lines of at most so many columns; a longer word stands alone.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if wide(line) + 1 + wide(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A number with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_parts() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (0.0001, "0 ms"),
            (0.0456, "46 ms"),
            (0.9996, "1 s"),
            (12.34, "12.3 s"),
            (59.96, "1 min"),
            (60.0, "1 min"),
            (125.4, "2 min 5 s"),
            (3599.7, "1 h"),
            (7_500.0, "2 h 5 min"),
            (86_399.0, "1 d"),
            (100_000.0, "1 d 4 h"),
        ] {
            assert_eq!(duration(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn sizes_have_one_unit() {
        for (bytes, text) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1000.0, "1.0 KiB"),
            (314_572_800.0, "300 MiB"),
            (1_610_612_736.0, "1.5 GiB"),
            (1e18, "909495 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn columns_line_up() {
        let rows = [["a", "10"], ["öä", "9"]].map(|row| row.map(str::to_owned).to_vec());
        let text = columns(&rows, &[Side::Left, Side::Right], 1);
        assert_eq!(text, " a   10\n öä   9\n");
    }
}
