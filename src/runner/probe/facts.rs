//! The list that facts are gathered in.

use serde_json::Value;

/// What stands for a fact that can't be read.
pub const UNAVAILABLE: &str = "unavailable";
/// What stands for a thing that isn't there, such as a limit.
pub const NONE: &str = "none";
/// What stands for a switch that is on.
pub const ON: &str = "on";
/// What stands for a switch that is off.
pub const OFF: &str = "off";

/// The system that the program is made for.
pub(super) const SYSTEM: &str = if cfg!(windows) {
    "Windows"
} else if cfg!(target_os = "macos") {
    "macOS"
} else if cfg!(target_os = "linux") {
    "Linux"
} else {
    UNAVAILABLE
};

/// The processor's architecture that the program is made for, as kernels write it.
pub(super) const ARCHITECTURE: &str = if cfg!(target_arch = "x86_64") {
    "x86_64"
} else if cfg!(target_arch = "aarch64") {
    "aarch64"
} else if cfg!(target_arch = "riscv64") {
    "riscv64"
} else if cfg!(target_arch = "powerpc64") {
    "ppc64"
} else if cfg!(target_arch = "s390x") {
    "s390x"
} else {
    ""
};

/// Facts by their keys, in the order in which they are found out.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub all: Vec<(String, Value)>,
}

impl Facts {
    /// Adds a fact in words; [`UNAVAILABLE`] for none.
    pub(super) fn text(&mut self, key: &str, value: Option<String>) {
        let value = value
            .map(|value| clean(&value))
            .filter(|value| !value.is_empty());
        let value = value.unwrap_or_else(|| UNAVAILABLE.to_owned());
        self.all.push((key.to_owned(), Value::String(value)));
    }

    /// Adds a fact that is a number; [`UNAVAILABLE`] for none. Whole ones are written as such.
    pub(super) fn number(&mut self, key: &str, value: Option<f64>) {
        let number = value.and_then(|value| {
            if value.fract() == 0.0 && value.abs() < 1e15 {
                Some(Value::from(value as i64))
            } else {
                serde_json::Number::from_f64(value).map(Value::Number)
            }
        });
        match number {
            Some(number) => self.all.push((key.to_owned(), number)),
            None => self.text(key, None),
        }
    }

    /// Adds a switch.
    pub(super) fn switch(&mut self, key: &str, value: Option<bool>) {
        let word = value.map(|on| if on { ON } else { OFF });
        self.text(key, word.map(str::to_owned));
    }
}

/// A text of a kernel or firmware in one line, without signs that steer a terminal, of a bearable length.
fn clean(text: &str) -> String {
    const LONGEST: usize = 200;
    let printable: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let words: Vec<&str> = printable.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST).collect()
}

/// An amount of memory or disk in the unit that fits, with at most one decimal place: `24 GiB`, `1.5 TiB`.
pub(super) fn amount(bytes: f64, base: f64, units: [&str; 4]) -> String {
    let mut value = bytes / base / base;
    let mut place = 0;
    // What rounds to a whole next unit is written in that.
    while place + 1 < units.len() && value >= base - 0.5 {
        value /= base;
        place += 1;
    }
    let text = format!("{value:.1}");
    format!("{} {}", text.trim_end_matches(".0"), units[place])
}

/// The units of memory.
pub(super) const BINARY: [&str; 4] = ["MiB", "GiB", "TiB", "PiB"];
/// The units of disks.
pub(super) const DECIMAL: [&str; 4] = ["MB", "GB", "TB", "PB"];
