//! Tests of reading figures in every spelling.

use super::*;
use proptest::prelude::*;

fn unit(symbol: &str) -> Unit {
    Unit::parse(symbol).expect("a unit")
}

fn read(text: &str, symbol: &str) -> Result<f64, QuantityFault> {
    parse_quantity(text, &unit(symbol), '.')
}

#[test]
fn reads_bare_numbers_in_the_unit() {
    assert_eq!(read("299", "points"), Ok(299.0));
    assert_eq!(read(" 12.5 ", "ms"), Ok(0.0125));
    assert_eq!(read("17", "%"), Ok(0.17));
    assert_eq!(read("-2", "%"), Ok(-0.02));
    assert_eq!(read("−80", ""), Ok(-80.0));
    assert_eq!(read("+1e3", ""), Ok(1000.0));
    assert_eq!(read(".5", ""), Ok(0.5));
    assert_eq!(read("858.31", "MiB"), Ok(858.31 * 1_048_576.0));
    assert_eq!(read("96", "size"), Ok(96.0));
}

#[test]
fn reads_sizes() {
    assert_eq!(read("512M", "size"), Ok(536_870_912.0));
    assert_eq!(read("1G", "size"), Ok(1_073_741_824.0));
    assert_eq!(read("1024m", "size"), Ok(1_073_741_824.0));
    assert_eq!(read("858.31 MiB", "GiB"), Ok(858.31 * 1_048_576.0));
    assert_eq!(read("96MB", "size"), Ok(96e6));
    let engine = Reading {
        sizes: SizeConvention::Binary,
        ..Reading::default()
    };
    let quantity = read_quantity("96MB", &unit("size"), engine).expect("a size");
    assert_eq!(quantity.value, 100_663_296.0);
    assert_eq!(read("16777216 bytes", "size"), Ok(16_777_216.0));
}

#[test]
fn reads_times() {
    for (text, seconds) in [
        ("1 min 29.74 s", 89.74),
        ("4 h 7 min", 14_820.0),
        ("3m6.355s", 186.355),
        ("0m1.5s", 1.5),
        ("1:29.74", 89.74),
        ("1:02:03", 3723.0),
        ("PT4H7M", 14_820.0),
        ("P1DT0.5S", 86_400.5),
        ("PT1,5S", 1.5),
        ("P2W", 1_209_600.0),
        ("1 d 02:03:04.5", 93_784.5),
        ("2 d 3 h", 183_600.0),
        ("12.5 ms", 0.0125),
        ("90 sec", 90.0),
        ("5 minutes", 300.0),
        ("250 µs", 0.000_25),
    ] {
        assert_eq!(read(text, "duration"), Ok(seconds), "{text}");
        assert_eq!(read(text, "ms"), Ok(seconds), "{text}");
    }
    assert_eq!(read("-1 min 30 s", "s"), Ok(-90.0));
}

#[test]
fn overlooks_a_stray_blank_and_says_so() {
    let quantity = read_quantity("3m6. 355s", &unit("duration"), Reading::default());
    assert_eq!(
        quantity,
        Ok(Quantity {
            value: 186.355,
            stray_blank: true
        })
    );
}

#[test]
fn reads_ratios_and_names() {
    assert_eq!(read("5 %", "%"), Ok(0.05));
    assert_eq!(read("5%", "%"), Ok(0.05));
    assert_eq!(read("390 points", "points"), Ok(390.0));
    assert_eq!(read("120 ops/min", "ops/s"), Ok(2.0));
}

#[test]
fn reads_decimal_commas_when_told_to() {
    assert_eq!(parse_quantity("0,15", &unit(""), ','), Ok(0.15));
    assert_eq!(parse_quantity("1 min 29,74 s", &unit("s"), ','), Ok(89.74));
    assert!(parse_quantity("1.234,5", &unit(""), ',').is_err());
}

#[test]
fn says_what_is_wrong() {
    use QuantityFault::{DecimalComma, NotANumber, NotFinite, Unreadable};
    for (text, fault) in [
        ("", NotANumber),
        ("n/a", NotANumber),
        (".", NotANumber),
        ("nan", NotFinite),
        ("-Inf", NotFinite),
        ("1e400", NotFinite),
        ("0,15", DecimalComma),
        ("1,234", DecimalComma),
        ("1,234.5", DecimalComma),
        ("1.2.3", Unreadable),
        ("0x10", Unreadable),
        ("12 34", Unreadable),
        ("1 min 2 h", Unreadable),
        ("1.5 min 3 s", Unreadable),
        ("1:75", Unreadable),
        ("1:2:3:4", Unreadable),
        ("PT", NotANumber),
        ("PT1H1H", Unreadable),
        ("5 –", Unreadable),
    ] {
        assert_eq!(read(text, "duration"), Err(fault), "{text:?}");
    }
    let wrong = |found| Err(QuantityFault::WrongDimension { found });
    assert_eq!(read("12 ms", "MiB"), wrong(Dimension::Duration));
    assert_eq!(read("512M", "s"), wrong(Dimension::Bytes));
    assert_eq!(read("5 %", ""), wrong(Dimension::Share));
    assert_eq!(read("1:20", "points"), wrong(Dimension::Duration));
    assert_eq!(
        read("3 pts", "points"),
        wrong(Dimension::Named("pts".into()))
    );
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,16}", decimal in "[.,]") {
        for symbol in ["", "%", "duration", "size", "ms", "ops/s", "points"] {
            let decimal = decimal.chars().next().expect("one");
            if let Ok(value) = parse_quantity(&text, &unit(symbol), decimal) {
                prop_assert!(value.is_finite());
            }
        }
    }

    #[test]
    fn never_panics_near_the_grammar(text in "[-+−P]?([0-9.,:TeE]{0,4} ?(min|ms|s|h|d|M|MB|%|µs|D|H)? ?){0,4}") {
        for symbol in ["", "%", "duration", "size", "ops/s"] {
            let _ = parse_quantity(&text, &unit(symbol), '.');
        }
    }

    #[test]
    fn reads_back_what_rust_writes(value in -1e12f64..1e12) {
        prop_assert_eq!(read(&format!("{value}"), ""), Ok(value));
        prop_assert_eq!(read(&format!("{value:e}"), ""), Ok(value));
    }

    #[test]
    fn parts_add_up(hours in 0u32..100, minutes in 0u32..60, seconds in 0u32..60) {
        let expected = Ok(f64::from(hours * 3600 + minutes * 60 + seconds));
        prop_assert_eq!(read(&format!("{hours} h {minutes} min {seconds} s"), "s"), expected.clone());
        prop_assert_eq!(read(&format!("{hours}:{minutes:02}:{seconds:02}"), "s"), expected.clone());
        prop_assert_eq!(read(&format!("PT{hours}H{minutes}M{seconds}S"), "duration"), expected);
    }
}
