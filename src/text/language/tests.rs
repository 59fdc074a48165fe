//! Tests of what each language makes of numbers, units, dates, lists and order.

use super::*;
use crate::diag::{Report, Source};
use crate::text::Unit;
use proptest::prelude::*;

fn language(tag: &str) -> Language {
    Language::new(Lang::parse(tag).expect("a tag"), &Catalogs::default())
}

/// Shows no-break blanks as `_`, to tell them from others.
fn shown(text: &str) -> String {
    text.replace(['\u{a0}', '\u{202f}'], "_")
}

fn four(value: impl Fn(&Language) -> String) -> [String; 4] {
    ["en", "de", "ru", "vi"].map(|tag| shown(&value(&language(tag))))
}

fn unit(symbol: &str) -> Unit {
    Unit::parse(symbol).expect("a unit")
}

#[test]
fn languages_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Language>();
    let german = language("de");
    let text = std::thread::scope(|scope| {
        scope
            .spawn(|| german.number(1234.5, Digits::Natural))
            .join()
            .expect("no panic")
    });
    assert_eq!(text, "1.234,5");
}

#[test]
fn numbers() {
    assert_eq!(
        four(|it| it.number(17029.0, Digits::Natural)),
        ["17,029", "17.029", "17_029", "17.029"]
    );
    assert_eq!(
        four(|it| it.number(-1.5, Digits::Places(2))),
        ["−1.50", "−1,50", "−1,50", "−1,50"]
    );
    assert_eq!(four(|it| it.signed(3.0, Digits::Natural)), ["+3"; 4]);
    assert_eq!(four(|it| it.signed(0.0, Digits::Natural)), ["0"; 4]);
    assert_eq!(four(|it| it.signed(-0.04, Digits::Places(1)))[0], "0.0");
    assert_eq!(
        language("es").number(1234.0, Digits::Natural),
        "1234",
        "CLDR groups from five digits"
    );
    assert_eq!(language("en").number(f64::NAN, Digits::Natural), "–");
}

#[test]
fn percent_and_times() {
    assert_eq!(
        four(|it| it.percent(0.05, Digits::Natural)),
        ["5%", "5_%", "5_%", "5%"]
    );
    assert_eq!(
        four(|it| it.signed_percent(0.246, Digits::Places(1))),
        ["+24.6%", "+24,6_%", "+24,6_%", "+24,6%"]
    );
    assert_eq!(language("en").percent(0.285, Digits::Natural), "28.5%");
    assert_eq!(language("en").percent(0.285, Digits::Places(0)), "29%");
    assert_eq!(language("en").signed_percent(-0.02, Digits::Natural), "−2%");
    assert_eq!(
        four(|it| it.times(1.593_548, Digits::Places(2))),
        ["1.59×", "1,59-fach", "1,59×", "1,59×"]
    );
}

#[test]
fn durations() {
    let four = |seconds| four(|it| it.duration(seconds, Digits::Natural));
    assert_eq!(
        four(14_820.0),
        ["4_h_7_min", "4_h_7_min", "4_ч_7_мин", "4_giờ_7_phút"]
    );
    assert_eq!(
        four(89.74),
        [
            "1_min_29.74_s",
            "1_min_29,74_s",
            "1_мин_29,74_с",
            "1_phút_29,74_giây"
        ]
    );
    let english = language("en");
    let text = |seconds, digits| shown(&english.duration(seconds, digits));
    for (seconds, wanted) in [
        (0.0, "0_s"),
        (0.0125, "12.5_ms"),
        (0.000_25, "250_µs"),
        (1.5e-9, "1.5_ns"),
        (1.0, "1_s"),
        (59.0, "59_s"),
        (60.0, "1_min"),
        (335.272, "5_min_35.272_s"),
        (3600.0, "1_h"),
        (13_304.334, "3_h_42_min"),
        (86_399.0, "1_d"),
        (183_600.0, "2_d_3_h"),
        (-89.74, "−1_min_29.74_s"),
        (1e9, "11,574_d_2_h"),
    ] {
        assert_eq!(text(seconds, Digits::Natural), wanted, "{seconds}");
    }
    assert_eq!(text(59.996, Digits::Places(2)), "1_min_0.00_s");
    assert_eq!(text(59.996, Digits::Significant(3)), "1_min_0.0_s");
    assert_eq!(text(3599.9, Digits::Places(0)), "1_h");
    assert_eq!(text(0.999_99, Digits::Places(0)), "1_s");
    assert_eq!(text(335.272, Digits::Significant(4)), "5_min_35.3_s");
}

#[test]
fn sizes() {
    let english = language("en");
    for (bytes, wanted) in [
        (0.0, "0_B"),
        (100.0, "100_B"),
        (100_663_296.0, "96_MiB"),
        (1_073_741_824.0, "1_GiB"),
        (1_610_612_736.0, "1.5_GiB"),
        (1100.0 * 1_048_576.0, "1,100_MiB"),
        (900_003_266.56, "858.31_MiB"),
        (1.7 * 1_099_511_627_776.0, "1.7_TiB"),
        (5000.0 * 1_099_511_627_776.0, "5,000_TiB"),
        (-1024.0, "−1_KiB"),
    ] {
        assert_eq!(
            shown(&english.size(bytes, Digits::Natural)),
            wanted,
            "{bytes}"
        );
    }
    assert_eq!(
        shown(&english.size(1_073_741_823.0, Digits::Places(0))),
        "1_GiB"
    );
    assert_eq!(
        four(|it| it.size(900_003_266.56, Digits::Natural)),
        ["858.31_MiB", "858,31_MiB", "858,31_МиБ", "858,31_MiB"]
    );
}

#[test]
fn quantities() {
    let four = |value, symbol| four(|it| it.quantity(value, &unit(symbol), Digits::Natural));
    assert_eq!(
        four(390.0, "points"),
        ["390_points", "390_Punkte", "390_баллов", "390_điểm"]
    );
    assert_eq!(
        four(1.0, "points"),
        ["1_point", "1_Punkt", "1_балл", "1_điểm"]
    );
    assert_eq!(four(1.5, "points")[2], "1,5_балла");
    assert_eq!(
        four(0.0125, "ms"),
        ["12.5_ms", "12,5_ms", "12,5_мс", "12,5_ms"]
    );
    assert_eq!(four(0.17, "%"), ["17%", "17_%", "17_%", "17%"]);
    assert_eq!(
        four(0.179 / 1_048_576.0, "s/MiB"),
        [
            "0.179_s/MiB",
            "0,179_s/MiB",
            "0,179_с/МиБ",
            "0,179_giây/MiB"
        ]
    );
    assert_eq!(four(1500.0, "ops/s")[0], "1,500_ops/s");
    assert_eq!(four(2.0, "orders"), ["2_orders"; 4]);
    assert_eq!(four(1.0, "µs")[0], "1,000,000_µs");
    assert_eq!(four(14_820.0, "duration")[0], "4_h_7_min");
    assert_eq!(four(536_870_912.0, "size")[0], "512_MiB");
    assert_eq!(four(42.0, ""), ["42"; 4]);
}

#[test]
fn signed_quantities() {
    let english = language("en");
    let text =
        |value, symbol| shown(&english.signed_quantity(value, &unit(symbol), Digits::Places(0)));
    assert_eq!(text(5.0, "s"), "+5_s");
    assert_eq!(text(-5.0, "s"), "−5_s");
    assert_eq!(text(0.2, "s"), "0_s");
    assert_eq!(text(90.0, "duration"), "+1_min_30_s");
}

#[test]
fn units_alone() {
    let four = |symbol| four(|it| it.unit(&unit(symbol)));
    assert_eq!(four("points"), ["points", "Punkte", "баллов", "điểm"]);
    assert_eq!(four("s/MiB"), ["s/MiB", "s/MiB", "с/МиБ", "giây/MiB"]);
    assert_eq!(four("%"), ["%"; 4]);
    assert_eq!(four("duration"), [""; 4]);
    assert_eq!(four(""), [""; 4]);
}

#[test]
fn ranges() {
    let english = language("en");
    assert_eq!(english.range("7%", "16%"), "7%–16%");
    assert_eq!(
        shown(&english.range("1_min 3_s", "2_min 4_s")),
        "1_min 3_s_– 2_min 4_s"
    );
    assert_eq!(
        four(|it| it.range("−2", "+17")),
        ["−2 to +17", "−2 bis +17", "от −2 до +17", "−2 đến +17"]
    );
}

#[test]
fn dates() {
    assert_eq!(
        four(|it| it.date("2014-07-14")),
        [
            "July 14, 2014",
            "14. Juli 2014",
            "14 июля 2014_г.",
            "14 tháng 7, 2014"
        ]
    );
    assert_eq!(
        four(|it| it.date("2014-07")),
        ["July 2014", "Juli 2014", "июль 2014_г.", "tháng 7 năm 2014"]
    );
    assert_eq!(four(|it| it.date("2014")), ["2014", "2014", "2014", "2014"]);
    for text in [
        "2014-13-01",
        "2014-02-30",
        "14.7.2014",
        "2014-7",
        "",
        "2014-07-14T10:00",
        "-2014",
    ] {
        assert_eq!(language("en").date(text), text);
    }
}

#[test]
fn a_catalog_may_order_its_dates() {
    let catalog = "date-day = \"{year}: {month}, {day}\"\ndate-month = \"{year}: {month}\"";
    let files = [(
        Lang::parse("ru").expect("a tag"),
        Source::new("locale/ru.toml", catalog),
    )];
    let mut report = Report::new();
    let catalogs = Catalogs::load(&files, &mut report);
    assert!(!report.has_errors(), "{report:?}");
    let language = |tag| Language::new(Lang::parse(tag).expect("a tag"), &catalogs);
    let russian = language("ru");
    assert_eq!(russian.date("2014-07-14"), "2014: июля, 14");
    assert_eq!(russian.date("2014-07"), "2014: июль");
    assert_eq!(russian.date("2014"), "2014");
    assert_eq!(language("de").date("2014-07-14"), "14. Juli 2014");
}

#[test]
fn lists_and_quotes() {
    let items = ["a", "b", "c"].map(str::to_owned);
    assert_eq!(
        four(|it| it.list(&items)),
        ["a, b, and c", "a, b und c", "a, b и c", "a, b và c"]
    );
    assert_eq!(language("en").list(&[]), "");
    assert_eq!(four(|it| it.quote("x")), ["“x”", "„x“", "«x»", "“x”"]);
}

#[test]
fn order() {
    let mut words = ["Zebra", "ähnlich", "Part 10", "apfel", "Part 9"];
    let german = language("de");
    words.sort_by(|a, b| german.compare(a, b));
    assert_eq!(words, ["ähnlich", "apfel", "Part 9", "Part 10", "Zebra"]);
    assert_eq!(german.compare("a", "a"), Ordering::Equal);
    assert_ne!(german.compare("\u{e9}", "e\u{301}"), Ordering::Equal);
}

#[test]
fn messages() {
    let russian = language("ru");
    let runs = |n| russian.message_with("runs-count", &[("n", Argument::Count(n))]);
    assert_eq!(runs(1), "1 прогон");
    assert_eq!(runs(3), "3 прогона");
    assert_eq!(runs(11), "11 прогонов");
    assert_eq!(runs(21), "21 прогон");
    let english = language("en");
    assert_eq!(
        english.message_with("figure-number", &[("number", Argument::Text("3"))]),
        "Figure 3"
    );
    assert_eq!(
        english.message_with("figure-number", &[]),
        "Figure {number}"
    );
    assert_eq!(english.message_with("no-such-key", &[]), "no-such-key");
    assert_eq!(
        english.message_with(
            "alt-missing",
            &[("n", Argument::Count(1)), ("total", Argument::Text("12"))]
        ),
        "1 of 12 values is missing."
    );
    assert_eq!(english.message("fact-page_size"), "Page size");
    assert_eq!(english.known("fact-colour"), None);
}

#[test]
fn names_and_directions() {
    assert_eq!(
        four(|it| it.name().to_owned()),
        ["English", "Deutsch", "Русский", "Tiếng Việt"]
    );
    let german = Lang::parse("de-AT").expect("a tag");
    assert_eq!(language("en").language_name(&german), "German");
    assert_eq!(
        language("en").language_name(&Lang::parse("sv").expect("a tag")),
        "sv"
    );
    assert_eq!(language("en").direction(), Direction::LeftToRight);
    for tag in ["ar", "fa", "he", "ur", "az-Arab"] {
        assert_eq!(language(tag).direction(), Direction::RightToLeft, "{tag}");
    }
}

#[test]
fn arabic_has_its_own_digits_and_plurals() {
    // No catalog yet: numbers are Arabic all the same.
    assert_eq!(language("ar-EG").number(12.5, Digits::Natural), "١٢٫٥");
}

proptest! {
    #[test]
    fn nothing_panics(value: f64, places in 0u8..20, text in "\\PC{0,12}") {
        for language in [language("en"), language("ar-EG")] {
            for digits in [Digits::Natural, Digits::Places(places), Digits::Significant(places)] {
                let _ = (language.duration(value, digits), language.size(value, digits));
                let _ = (language.percent(value, digits), language.signed(value, digits));
                let _ = language.signed_quantity(value, &unit("ms"), digits);
            }
            let _ = (language.date(&text), language.quote(&text), language.compare(&text, "a"));
            let _ = (language.message(&text), language.message_with(&text, &[]));
        }
    }

    #[test]
    fn durations_of_two_parts_say_what_they_mean(seconds in 60u32..3600) {
        let text = language("en").duration(f64::from(seconds), Digits::Natural);
        let unit = unit("duration");
        prop_assert_eq!(crate::text::parse_quantity(&text, &unit, '.'), Ok(f64::from(seconds)));
    }
}
