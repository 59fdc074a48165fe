//! Values of settings as people and servers write them: numbers, sizes, switches.

/// The number that a text begins with, and the unit behind it.
pub(super) fn number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|sign: char| !sign.is_ascii_digit() && !"+-.".contains(sign))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim()))
}

/// A number in bytes, with the letters that servers have for sizes (`64M`) or the units that people write
/// (`64 MiB`); both count in steps of 1024.
#[cfg(any(feature = "engine-firebird", feature = "engine-mariadb"))]
pub(super) fn size(text: &str) -> Option<f64> {
    let (number, unit) = number(text)?;
    let power = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" | "kb" => 1,
        "m" | "mib" | "mb" => 2,
        "g" | "gib" | "gb" => 3,
        "t" | "tib" | "tb" => 4,
        _ => return None,
    };
    Some(number * 1024_f64.powi(power))
}

/// Whether a word means on or off.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(true),
        "off" | "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_behind_them() {
        assert_eq!(number(" 1.5 min "), Some((1.5, "min")));
        assert_eq!(number("-3"), Some((-3.0, "")));
        assert_eq!(number("min"), None);
        assert_eq!(switch(" Yes"), Some(true));
        assert_eq!(switch("0"), Some(false));
        assert_eq!(switch("2"), None);
    }

    #[cfg(any(feature = "engine-firebird", feature = "engine-mariadb"))]
    #[test]
    fn sizes_count_in_steps_of_1024() {
        for (text, bytes) in [
            ("8192", 8192.0),
            ("64M", 67_108_864.0),
            ("1.5 GiB", 1_610_612_736.0),
            ("2kb", 2048.0),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        assert_eq!(size("64 pages"), None);
        assert_eq!(size("1e3"), None);
    }
}
