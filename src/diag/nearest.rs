//! The nearest of some names to one that was mistyped.

/// The known name closest to `given`, if it is close enough to be a slip: at most a third of its
/// letters differ (and always at least one may).
///
/// Distance: optimal string alignment (Damerau–Levenshtein without repeated edits), on characters,
/// ignoring case and the difference between `-`, `_` and blank.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Beyond these nobody mistypes a name, and looking for one would take its time.
    const LONGEST: usize = 200;
    const MOST: usize = 500;
    if given.len() > LONGEST {
        return None;
    }
    let given_folded = fold(given);
    let limit = (given_folded.len() / 3).max(1);
    known
        .into_iter()
        .take(MOST)
        .filter(|name| name.len() <= 2 * LONGEST)
        .map(|name| (fold(name), name))
        .filter(|(folded, _)| folded.len().abs_diff(given_folded.len()) <= limit)
        .map(|(folded, name)| (distance(&given_folded, &folded), name))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// A help line for a name that isn't known: the nearest one, else a list of what there is.
pub fn suggestion<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const LISTED: usize = 12;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(name) = nearest(given, known.iter().copied()) {
        return Some(format!("did you mean `{name}`?"));
    }
    if known.is_empty() {
        return None;
    }
    let mut names: Vec<String> = known
        .iter()
        .take(LISTED)
        .map(|name| format!("`{name}`"))
        .collect();
    let last = match known.len() {
        1 => return Some(format!("there is only {}", names[0])),
        more if more > LISTED => format!("{} more", more - LISTED),
        _ => names.pop().unwrap_or_default(),
    };
    Some(format!("there are {} and {last}", names.join(", ")))
}

fn fold(name: &str) -> Vec<char> {
    name.chars()
        .flat_map(char::to_lowercase)
        .map(|letter| {
            if matches!(letter, '-' | ' ') {
                '_'
            } else {
                letter
            }
        })
        .collect()
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slip_and_nothing_far() {
        let known = ["table", "chart", "page_buffers"];
        assert_eq!(nearest("tabel", known), Some("table"));
        assert_eq!(nearest("page-bufers", known), Some("page_buffers"));
        assert_eq!(nearest("unrelated", known), None);
        assert_eq!(nearest("", known), None);
    }

    #[test]
    fn lists_what_there_is_when_nothing_is_near() {
        let text = suggestion("zzz", ["one", "two"]).expect("a list");
        assert_eq!(text, "there are `one` and `two`");
        let text = suggestion("zzz", ["one"]).expect("a list");
        assert_eq!(text, "there is only `one`");
        assert_eq!(suggestion("zzz", []), None);
    }
}
