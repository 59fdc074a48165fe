//! Expressions: the same reading as Tera's, exact places, helpful faults.

use proptest::prelude::*;

use super::faults;
use crate::content::{Binary, Expression, Node, Unary};
use crate::diag::{Report, Source, Span};

fn parse(text: &str) -> (Option<Expression>, Report) {
    let source = Source::new("a.md", text);
    let mut report = Report::new();
    let expression = Expression::parse(&Span::new(&source, 0..text.len()), &mut report);
    (expression, report)
}

fn canonical(text: &str) -> String {
    let (expression, report) = parse(text);
    expression
        .unwrap_or_else(|| panic!("{text}: {:?}", report.sorted()))
        .canonical()
}

#[test]
fn binding_is_as_in_tera() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"),
        ("1 - 2 - 3", "((1 - 2) - 3)"),
        ("not a == b and c or d", "(((not (a == b)) and c) or d)"),
        ("-a.b * c", "((-a.b) * c)"),
        ("-1.20 + 2", "((-1.20) + 2)"),
        ("a or b and c", "(a or (b and c))"),
        ("(1 + 2) * 3 % 4", "(((1 + 2) * 3) % 4)"),
        ("a < 1 + 2", "(a < (1 + 2))"),
        ("f( b = 'x',a=[1,2,] ,)", "f(a=[1, 2], b=\"x\")"),
        (
            "setting(\"X\", experiment=`y`).default",
            "setting(\"X\", experiment=\"y\").default",
        ),
        ("a | round(digits=1) + b | bare", "(a + b)"),
        ("'Ж\\'ж' == true", "(\"Ж'ж\" == true)"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
    }
}

#[test]
fn a_filter_takes_the_sign_with_it() {
    let (expression, _) = parse("-1.2 | abs");
    let Some(Expression {
        node: Node::Filter { value, .. },
        ..
    }) = expression
    else {
        panic!("a filter")
    };
    assert!(matches!(value.node, Node::Unary(Unary::Minus, _)));
    let (expression, _) = parse("1 + 2 | abs");
    let Some(Expression {
        node: Node::Binary(Binary::Plus, _, right),
        ..
    }) = expression
    else {
        panic!("a sum")
    };
    assert!(matches!(right.node, Node::Filter { .. }));
}

#[test]
fn places_are_exact() {
    let text = "  value(größe=\"ü\") + best( a = 1 ).b | times(digits=2)";
    let (expression, _) = parse(text);
    let sum = expression.expect("a sum");
    assert_eq!(sum.span.text(), text.trim());
    let Node::Binary(_, left, right) = &sum.node else {
        panic!("a sum")
    };
    assert_eq!(left.span.text(), "value(größe=\"ü\")");
    assert_eq!(right.span.text(), "best( a = 1 ).b | times(digits=2)");
    let Node::Filter {
        value,
        name,
        arguments,
    } = &right.node
    else {
        panic!("a filter")
    };
    assert_eq!(
        (value.span.text(), name.1.text()),
        ("best( a = 1 ).b", "times")
    );
    assert_eq!(
        arguments[0].0.as_ref().map(|(_, span)| span.text()),
        Some("digits")
    );
    let Node::Field(object, field) = &value.node else {
        panic!("a field")
    };
    assert_eq!((object.span.text(), field.1.text()), ("best( a = 1 )", "b"));
}

#[test]
fn faults_say_what_to_write() {
    for (text, place, words) in [
        ("a = 1", "=", "use `==` to compare"),
        ("a && b", "&&", "write `and`"),
        ("a || b", "||", "write `or`"),
        ("!a", "!", "write `not`"),
        ("a ~ b", "~", "not joined"),
        ("a in b", "in", "`==`"),
        ("a is b", "is", "`==`"),
        ("1 if a", "if", "in the prose"),
        ("1e3", "1e3", "without an exponent"),
        ("1_000", "1_000", "without separators"),
        ("512M", "512M", "in quotes"),
        (".5", ".", "0.5"),
        ("1.", "1.", "1.0"),
        ("a < 5 %", "%", "0.05"),
        ("1 < a < 3", "<", "`and`"),
        ("f(a, b)", "b", "name=b"),
        ("f(a=1, a=2)", "a", ""),
        ("f(\"a b\"=1)", "\"a b\"", "quotes"),
        ("f(a=1", "", "expected `,` or `)`"),
        ("a b", "b", "expected an operator"),
        ("(a", "", "expected `)`"),
        ("a ≤ b", "≤", "write `<=`"),
        ("“a”", "“", "straight quotes"),
        ("\"a", "\"a", "close it"),
        ("a[0]", "[", ".low"),
        ("a.1", "1", "name of a field"),
        ("a |", "", "name of a filter"),
        ("not not a", "not", "parentheses"),
        ("", "", "empty"),
        ("{a: 1}", "{", "maps"),
    ] {
        let (expression, report) = parse(text);
        assert_eq!(expression, None, "{text}");
        let all = report.sorted();
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        assert_eq!(all[0].labels[0].span.text(), place, "{text}");
        let said = format!("{} {}", all[0].message, all[0].help.join(" "));
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn endless_nesting_and_length_are_refused() {
    for text in ["(", "[", "f(", "-(", "not (", "f(a="] {
        let (expression, report) = parse(&text.repeat(10_000));
        assert_eq!((expression, report.sorted().len()), (None, 1), "{text}");
    }
    for text in ["1 + ", "a.b", "a | f "] {
        let (expression, report) = parse(&format!("{}1", text.repeat(10_000)));
        assert_eq!((expression, report.sorted().len()), (None, 1), "{text}");
    }
}

#[test]
fn a_claim_is_a_condition_with_options() {
    let claim = |text: &str| {
        let source = Source::new("a.md", text);
        let mut report = Report::new();
        let read = Expression::parse_claim(&Span::new(&source, 0..text.len()), &mut report);
        let shown = read.map(|(condition, options)| {
            let options: Vec<String> = options
                .iter()
                .map(|(name, value)| format!("{name}={}", value.canonical()))
                .collect();
            format!("{}; {}", condition.canonical(), options.join(", "))
        });
        (shown, faults(&report))
    };
    assert_eq!(
        claim("f(a=1) <= 0.50, expect=\"refuted\", within = 0.05")
            .0
            .as_deref(),
        Some("(f(a=1) <= 0.50); expect=\"refuted\", within=0.05")
    );
    assert_eq!(
        claim("not (a < 1) and b == 2").0.as_deref(),
        Some("((not (a < 1)) and (b == 2)); ")
    );
    assert_eq!(claim("a < 1 expect=2").1, ["bad-expression: expect"]);
    assert_eq!(claim("a < 1, 2").1, ["bad-expression: 2"]);
    assert_eq!(claim("a < 1, x=1, x=2").1, ["bad-argument: x | x"]);
    assert_eq!(claim("f(a=1)").1, ["bad-expression: f(a=1)"]);
    assert_eq!(claim("a < 1 and b").1, ["bad-expression: a < 1 and b"]);
}

/// What Tera and our tree agree on: numbers and truths.
#[derive(Debug, PartialEq)]
enum Value {
    Number(f64),
    Flag(bool),
}

/// Works out an expression without names; `None` where types don't fit.
fn evaluate(expression: &Expression) -> Option<Value> {
    Some(match &expression.node {
        Node::Number { value, .. } => Value::Number(*value),
        Node::Flag(flag) => Value::Flag(*flag),
        Node::Unary(operator, value) => match (operator, evaluate(value)?) {
            (Unary::Minus, Value::Number(value)) => Value::Number(-value),
            (Unary::Not, Value::Flag(flag)) => Value::Flag(!flag),
            _ => return None,
        },
        Node::Binary(operator, left, right) => {
            match (operator, evaluate(left)?, evaluate(right)?) {
                (Binary::And, Value::Flag(a), Value::Flag(b)) => Value::Flag(a && b),
                (Binary::Or, Value::Flag(a), Value::Flag(b)) => Value::Flag(a || b),
                (operator, Value::Number(a), Value::Number(b)) => match operator {
                    Binary::Equal => Value::Flag(a == b),
                    Binary::NotEqual => Value::Flag(a != b),
                    Binary::Less => Value::Flag(a < b),
                    Binary::LessOrEqual => Value::Flag(a <= b),
                    Binary::Greater => Value::Flag(a > b),
                    Binary::GreaterOrEqual => Value::Flag(a >= b),
                    Binary::Plus => Value::Number(a + b),
                    Binary::Minus => Value::Number(a - b),
                    Binary::Times => Value::Number(a * b),
                    Binary::Divided if b != 0.0 => Value::Number(a / b),
                    Binary::Modulo if b != 0.0 => Value::Number(a.rem_euclid(b)),
                    _ => return None,
                },
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn number() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0u32..20).prop_map(|number| format!("{number}")),
        (0u32..200).prop_map(|number| format!("{:.1}", f64::from(number) / 10.0)),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let operator = prop::sample::select(vec!["+", "-", "*", "/", "%"]);
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("{a} {o} {b}")),
            1 => inner.clone().prop_map(|a| format!("({a})")),
            1 => inner.prop_map(|a| format!("-({a})")),
        ]
    })
}

fn truth() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        1 => Just("true".to_owned()),
        4 => (number(), operator, number()).prop_map(|(a, o, b)| format!("{a}{o}{b}")),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let operator = prop::sample::select(vec!["and", "or"]);
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("{a} {o} {b}")),
            1 => inner.clone().prop_map(|a| format!("({a})")),
            1 => inner.prop_map(|a| format!("not ({a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn values_are_those_of_tera(text in prop_oneof![number(), truth()]) {
        let template = format!("{{{{ {text} }}}}");
        let rendered = tera::Tera::one_off(&template, &tera::Context::new(), false);
        let (expression, _) = parse(&text);
        let Ok(rendered) = rendered else { return Ok(()) };
        let expression = expression.expect("what Tera reads is read");
        let Some(value) = evaluate(&expression) else { return Ok(()) };
        let expected = match rendered.as_str() {
            "true" => Value::Flag(true),
            "false" => Value::Flag(false),
            number => Value::Number(number.parse().expect("a number")),
        };
        prop_assert_eq!(value, expected, "{}", text);
    }
}
