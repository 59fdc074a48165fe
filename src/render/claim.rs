//! Claims judged against the data.

use crate::analysis::Truth;
use crate::content::{Binary, Claim, Expression, Node};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::Value;

use super::evaluate::Evaluator;
use super::resolve::{self, Literal};
use super::thing::{Evidence, Form, Number, Thing};

/// What the data say of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is true of the data.
    Holds,
    /// It is false of the data.
    Refuted,
    /// The data can't tell.
    Undecided,
}

impl Verdict {
    /// The word in expressions, classes and message keys.
    pub fn key(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Holds, Self::Refuted, Self::Undecided]
            .into_iter()
            .find(|it| it.key() == word)
    }
}

/// A claim with its verdict.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether somebody else's claim is quoted to be refuted, or one that can't be decided.
    pub expected: Verdict,
    /// Whether it speaks of the figures as printed.
    pub as_printed: bool,
    /// What the data say, in the page's language.
    pub finding: String,
    /// What it rests on.
    pub evidence: Evidence,
}

struct Options {
    expected: Verdict,
    as_printed: bool,
    within: Option<f64>,
}

/// Judges a claim; faults, and verdicts that weren't expected, go to the report.
pub(super) fn judge(
    mut evaluator: Evaluator<'_>,
    claim: &Claim,
    report: &mut Report,
) -> Option<Judged> {
    let options = options(&mut evaluator, claim, report)?;
    evaluator.as_printed = options.as_printed;
    evaluator.within = options.within;
    evaluator.evidence = Evidence::default();
    let truth = evaluator.truth(&claim.condition, report)?;
    let evidence = std::mem::take(&mut evaluator.evidence);
    let verdict = match truth {
        Truth::True => Verdict::Holds,
        Truth::False => Verdict::Refuted,
        Truth::Unknown => Verdict::Undecided,
    };
    // Working the sides out again can't fail: they were just worked out.
    let mut findings = Vec::new();
    find(
        &mut evaluator,
        &claim.condition,
        &mut findings,
        &mut Report::new(),
    );
    let judged = Judged {
        verdict,
        expected: options.expected,
        as_printed: options.as_printed,
        finding: findings.join("; "),
        evidence,
    };
    if verdict != options.expected {
        report.push(unexpected(&evaluator, claim, &judged));
    }
    Some(judged)
}

fn options(evaluator: &mut Evaluator<'_>, claim: &Claim, report: &mut Report) -> Option<Options> {
    const KNOWN: [&str; 3] = ["expect", "of", "within"];
    let mut options = Options {
        expected: Verdict::Holds,
        as_printed: false,
        within: None,
    };
    let mut whole = true;
    for (name, value) in &claim.options {
        let span = &value.span;
        let literal = evaluator.literal(value, report);
        let bad = |what: &str| {
            Diagnostic::new(Code::BadArgument, format!("`{name}` takes {what}"))
                .at(span.clone(), "")
        };
        match (name.as_str(), literal) {
            (_, None) => whole = false,
            ("expect", Some(Literal::Text(word))) if Verdict::parse(&word).is_some() => {
                options.expected = Verdict::parse(&word)?;
            }
            ("of", Some(Literal::Text(word))) if word == "figures" => options.as_printed = true,
            ("of", Some(Literal::Text(word))) if word == "measurements" => {}
            ("within", Some(Literal::Number(number))) if number >= 0.0 => {
                options.within = Some(number);
            }
            ("expect", _) => {
                report.push(bad("`\"holds\"`, `\"refuted\"` or `\"undecided\"`"));
                whole = false;
            }
            ("of", _) => {
                report.push(bad("`\"measurements\"` or `\"figures\"`"));
                whole = false;
            }
            ("within", _) => {
                report.push(bad("a number that isn't negative"));
                whole = false;
            }
            _ => {
                report.push(
                    Diagnostic::new(
                        Code::UnknownArgument,
                        format!("a claim has no option `{name}`"),
                    )
                    .at(option_name(claim, name, span), "")
                    .suggest(name, KNOWN),
                );
                whole = false;
            }
        }
    }
    whole.then_some(options)
}

/// Where an option's name stands: before its value.
fn option_name(claim: &Claim, name: &str, value: &Span) -> Span {
    let start = claim.span.range.start;
    let before = Span::new(&value.source, start..value.range.start.max(start));
    match before.text().rfind(name) {
        Some(at) => before.within(at..at + name.len()),
        None => value.clone(),
    }
}

/// What the data say, for each comparison in a condition.
fn find(
    evaluator: &mut Evaluator<'_>,
    condition: &Expression,
    findings: &mut Vec<String>,
    unheard: &mut Report,
) {
    match &condition.node {
        Node::Binary(Binary::And | Binary::Or, left, right) => {
            find(evaluator, left, findings, unheard);
            find(evaluator, right, findings, unheard);
        }
        Node::Unary(_, inner) => find(evaluator, inner, findings, unheard),
        Node::Binary(_, left, right) => {
            let left_shown = side(evaluator, left, unheard);
            let right_shown = side(evaluator, right, unheard);
            findings.extend(match (left_shown, right_shown) {
                (Some(left), Some(right)) => Some(evaluator.language.message_with(
                    "finding-against",
                    &[
                        ("value", crate::text::Argument::Text(&left)),
                        ("bound", crate::text::Argument::Text(&right)),
                    ],
                )),
                (left, right) => left.or(right),
            });
        }
        _ => {}
    }
}

/// One side of a comparison with its interval; nothing for what the author wrote out.
fn side(
    evaluator: &mut Evaluator<'_>,
    expression: &Expression,
    unheard: &mut Report,
) -> Option<String> {
    let written = match &expression.node {
        Node::Unary(_, inner) => &inner.node,
        node => node,
    };
    if matches!(written, Node::Number { .. } | Node::Text(_) | Node::Flag(_)) {
        return None;
    }
    let thing = evaluator.evaluate(expression, unheard)?;
    let shown = evaluator.show(&thing);
    let (Thing::Number(number) | Thing::Found { number, .. }) = &thing else {
        return Some(shown);
    };
    if let Form::Metric {
        value: Some(Value::Range(..) | Value::Above(_) | Value::Below(_)),
        ..
    } = &number.form
    {
        // It is shown with its ends already.
        return Some(shown);
    }
    let uncertain = number.uncertain;
    if !(uncertain.low.is_finite() && uncertain.high.is_finite()) || uncertain.low >= uncertain.high
    {
        return Some(shown);
    }
    let end = |value: f64| {
        let mut form = number.form.clone();
        if let Form::Metric { value, .. } = &mut form {
            *value = None;
        }
        let value = rounded(
            value,
            uncertain.high - uncertain.low,
            form.unit(evaluator.shelf).scale,
        );
        let mut end = Number::new(crate::analysis::Uncertain::exact(value), form);
        end.digits = number.digits;
        end
    };
    let range = Thing::Range {
        low: end(uncertain.low),
        high: end(uncertain.high),
    };
    Some(format!("{shown} ({})", evaluator.show(&range)))
}

/// An end of an interval to two digits of the interval's width: more would only look exact.
fn rounded(value: f64, width: f64, scale: f64) -> f64 {
    let places = 1.0 - (width / scale).log10().floor();
    let factor = 10f64.powf(places.clamp(-12.0, 12.0));
    let rounded = (value / scale * factor).round() / factor * scale;
    if rounded.is_finite() { rounded } else { value }
}

fn unexpected(evaluator: &Evaluator<'_>, claim: &Claim, judged: &Judged) -> Diagnostic {
    let condition = claim.condition.span.clone();
    let (code, message) = match judged.verdict {
        Verdict::Refuted => (Code::ClaimRefuted, "the data refute this claim"),
        Verdict::Undecided => (Code::ClaimUndecided, "the data can't decide this claim"),
        Verdict::Holds => (
            Code::ClaimHolds,
            "this claim holds, though it wasn't expected to",
        ),
    };
    let label = if judged.finding.is_empty() {
        String::new()
    } else {
        format!("it comes to {}", judged.finding)
    };
    let mut fault = Diagnostic::new(code, message).at(condition, label);
    if let Some(&(experiment, _)) = judged.evidence.places.first() {
        let experiment = evaluator.shelf.experiment(experiment);
        fault = fault.may_follow_from(resolve::folder(experiment));
    }
    for (span, text) in evidence_labels(evaluator, &judged.evidence) {
        fault = fault.at(span, text);
    }
    if judged.evidence.samples.is_some_and(|(low, _)| low < 3) && !judged.as_printed {
        fault = fault.note("fewer than three samples: their spread is assumed, not measured");
    }
    match judged.verdict {
        Verdict::Undecided => fault.help(
            "weaken the words, give more samples, or say `expect = \"undecided\"`; \
             a statement about the figures as printed takes `of = \"figures\"`",
        ),
        Verdict::Refuted if judged.expected == Verdict::Holds => {
            fault.help("mend the prose; to quote a wrong claim, say `expect = \"refuted\"`")
        }
        _ => fault.help(format!(
            "say `expect = \"{}\"`, or mend the condition",
            judged.verdict.key()
        )),
    }
}

/// The first few rows behind a claim.
fn evidence_labels(evaluator: &Evaluator<'_>, evidence: &Evidence) -> Vec<(Span, String)> {
    const SHOWN: usize = 3;
    evidence
        .places
        .iter()
        .take(SHOWN)
        .map(|&(experiment, place)| {
            let experiment = evaluator.shelf.experiment(experiment);
            (
                resolve::line_of(experiment, place),
                "a row behind it".to_owned(),
            )
        })
        .collect()
}
