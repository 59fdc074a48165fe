//! Regular expressions that find a result in what a program prints.

use regex::{Regex, RegexBuilder};

/// A regular expression for a result: `^` and `$` stand for the ends of lines, and the number is what
/// the group `value`, or else the only group, holds.
#[derive(Debug)]
pub struct Pattern {
    expression: Regex,
    group: usize,
}

impl Pattern {
    /// Reads it, or says why it is of no use.
    pub fn parse(expression: &str) -> Result<Self, String> {
        let expression = RegexBuilder::new(expression)
            .multi_line(true)
            .crlf(true)
            .build()
            .map_err(|fault| {
                // The lines before the last draw the expression.
                let fault = fault.to_string();
                let last = fault.lines().last().unwrap_or_default().trim();
                let last = last.trim_start_matches("error: ");
                format!("this is no regular expression: {last}")
            })?;
        let named = expression
            .capture_names()
            .position(|name| name == Some("value"));
        let groups = expression.captures_len() - 1;
        match named.or((groups == 1).then_some(1)) {
            Some(group) => Ok(Self { expression, group }),
            None if groups == 0 => {
                Err("the pattern has no group; put the number in parentheses".into())
            }
            None => Err(format!(
                "the pattern has {groups} groups; name the one with the number, `(?<value>…)`, or \
                 begin the others with `(?:`"
            )),
        }
    }

    /// Every place where it matches, as line and text of its group.
    pub fn all<'t>(&self, text: &'t str) -> Vec<(usize, &'t str)> {
        let (mut line, mut counted) = (1, 0);
        self.expression
            .captures_iter(text)
            .filter_map(|it| it.get(self.group))
            .map(|found| {
                line += text[counted..found.start()].matches('\n').count();
                counted = found.start();
                (line, found.as_str())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(expression: &str, text: &str) -> Vec<(usize, String)> {
        let pattern = Pattern::parse(expression).expect("a pattern");
        let all = pattern.all(text).into_iter();
        all.map(|(line, text)| (line, text.to_owned())).collect()
    }

    #[test]
    fn numbers_stand_in_the_only_group_or_in_the_named_one() {
        let text = "tps = 1 (a)\r\n\ntps = 22 (b)\n";
        let expected = [(1, "1".to_owned()), (3, "22".to_owned())];
        assert_eq!(found(r"^tps = (\d+) \(\w\)$", text), expected);
        assert_eq!(found(r"^tps = (?<value>\d+) \((\w)\)$", text), expected);
        assert_eq!(found("latency (.*)", text), []);
    }

    #[test]
    fn expressions_without_a_number_are_refused_in_one_line() {
        for (expression, why) in [
            ("tps", "has no group"),
            ("(a)(b)", "has 2 groups; name the one"),
            ("(x", "this is no regular expression: unclosed group"),
        ] {
            let told = Pattern::parse(expression).expect_err("a reason");
            assert!(told.contains(why) && !told.contains('\n'), "{told}");
        }
    }
}
