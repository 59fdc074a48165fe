//! Power plans of Linux: frequency governor, energy preference and platform profile.
//!
//! A wish names them, `governor=performance`, `energy=balance_power`, `profile=low-power`, or several
//! joined by commas. It may also be one of three neutral words. These become the platform profile if
//! there is one that may be written, else the energy preference, else the governor:
//!
//! | word          | profile                   | energy (with `governor=powersave`) | governor |
//! |---------------|---------------------------|------------------------------------|----------|
//! | `powersave`   | low-power, quiet or cool  | power                              | powersave |
//! | `balanced`    | balanced                  | `balance_performance`              | schedutil, ondemand or conservative |
//! | `performance` | performance               | performance                        | performance |
//!
//! Energy preferences exist only where the processor chooses its frequency itself. There the governor
//! `powersave` means that it may, and isn't slow; and while the governor is `performance` the kernel
//! refuses every other energy preference. So the neutral words set both.

use std::io::Write as _;

use super::super::fault::Fault;
use super::super::tree::Tree;
use super::plans::{Change, Neutral, Plans};

/// What can be set, in the order in which it has to be: a profile changes what its firmware likes, and a
/// governor may rule over the energy preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Knob {
    Profile,
    Governor,
    Energy,
}

impl Knob {
    const ALL: [Self; 3] = [Self::Profile, Self::Governor, Self::Energy];

    fn name(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Governor => "governor",
            Self::Energy => "energy",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Profile => "platform profile",
            Self::Governor => "frequency governor",
            Self::Energy => "energy preference",
        }
    }

    /// The file of a folder that holds it, and that which lists what it may be.
    fn files(self) -> (&'static str, &'static str) {
        match self {
            Self::Profile => ("platform_profile", "platform_profile_choices"),
            Self::Governor => ("scaling_governor", "scaling_available_governors"),
            Self::Energy => (
                "energy_performance_preference",
                "energy_performance_available_preferences",
            ),
        }
    }
}

/// The power plan that a kernel offers through files.
#[derive(Debug)]
pub(super) struct Linux {
    tree: Tree,
    /// What there is: knob, file that holds its value, file that lists its choices.
    found: Vec<(Knob, String, String)>,
}

impl Linux {
    pub(super) fn new(tree: Tree) -> Self {
        let mut found = Vec::new();
        for knob in Knob::ALL {
            let folders = match knob {
                Knob::Profile => vec!["sys/firmware/acpi".to_owned()],
                Knob::Governor | Knob::Energy => tree.policies(),
            };
            let (value, choices) = knob.files();
            for folder in folders {
                let place = format!("{folder}/{value}");
                if tree.text(&place).is_some() {
                    found.push((knob, place, format!("{folder}/{choices}")));
                }
            }
        }
        Self { tree, found }
    }

    fn places_of(&self, knob: Knob) -> impl Iterator<Item = &str> {
        self.found
            .iter()
            .filter(move |(it, _, _)| *it == knob)
            .map(|(_, place, _)| place.as_str())
    }

    fn has(&self, knob: Knob) -> bool {
        self.places_of(knob).next().is_some()
    }

    /// What a place may hold; empty where the kernel doesn't tell.
    fn choices(&self, place: &str) -> Vec<String> {
        let entry = self.found.iter().find(|(_, it, _)| it == place);
        entry
            .and_then(|(_, _, choices)| self.tree.text(choices))
            .map(|text| text.split_whitespace().map(str::to_owned).collect())
            .unwrap_or_default()
    }

    /// What every place of a knob may hold.
    fn common(&self, knob: Knob) -> Vec<String> {
        let mut places = self.places_of(knob);
        let mut common = places
            .next()
            .map(|place| self.choices(place))
            .unwrap_or_default();
        for place in places {
            let choices = self.choices(place);
            common.retain(|choice| choices.contains(choice));
        }
        common
    }

    fn open(&self, place: &str) -> std::io::Result<std::fs::File> {
        std::fs::OpenOptions::new()
            .write(true)
            .open(self.tree.path(place))
    }

    fn is_writable(&self, knob: Knob) -> bool {
        self.has(knob) && self.places_of(knob).all(|place| self.open(place).is_ok())
    }

    /// The values of a knob, each once, in the order of their places.
    fn values(&self, knob: Knob) -> Vec<String> {
        let mut values = Vec::new();
        for place in self.places_of(knob) {
            let value = self.value(place).unwrap_or_else(|| "unreadable".to_owned());
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// What a neutral word means here.
    fn neutral(&self, word: Neutral) -> Result<Vec<(Knob, String)>, Fault> {
        const ORDER: [Knob; 3] = [Knob::Profile, Knob::Energy, Knob::Governor];
        let knob = ORDER
            .into_iter()
            .find(|knob| self.is_writable(*knob))
            .or_else(|| ORDER.into_iter().find(|knob| self.has(*knob)))
            .ok_or_else(nothing)?;
        let wanted: &[&str] = match (knob, word) {
            (Knob::Profile, Neutral::Powersave) => &["low-power", "quiet", "cool"],
            (Knob::Profile, Neutral::Balanced) => &["balanced"],
            (Knob::Energy, Neutral::Powersave) => &["power"],
            (Knob::Energy, Neutral::Balanced) => &["balance_performance"],
            (Knob::Governor, Neutral::Powersave) => &["powersave"],
            (Knob::Governor, Neutral::Balanced) => &["schedutil", "ondemand", "conservative"],
            (_, Neutral::Performance) => &["performance"],
        };
        let offered = self.common(knob);
        let value = wanted
            .iter()
            .find(|value| offered.iter().any(|it| it == *value))
            .ok_or_else(|| {
                Fault::unsupported(format!(
                    "the {} offers nothing like `{}` here, only {}",
                    knob.words(),
                    word.word(),
                    listed(&offered)
                ))
            })?;
        let mut values = vec![(knob, (*value).to_owned())];
        if knob == Knob::Energy && self.has(Knob::Governor) {
            values.insert(0, (Knob::Governor, "powersave".to_owned()));
        }
        Ok(values)
    }

    /// What a wish asks for, in the order in which it has to be set.
    fn parse(&self, wish: &str) -> Result<Vec<(Knob, String)>, Fault> {
        if let Some(word) = Neutral::parse(wish) {
            return self.neutral(word);
        }
        let mut values: Vec<(Knob, String)> = Vec::new();
        for part in wish.split(',') {
            let pair = part.split_once('=');
            let knob = pair.and_then(|(name, _)| {
                let name = name.trim();
                Knob::ALL.into_iter().find(|knob| knob.name() == name)
            });
            let (Some(knob), Some((_, value))) = (knob, pair) else {
                return Err(Fault::unsupported(format!(
                    "`{part}` is no power plan on Linux; write `powersave`, `balanced`, `performance`, \
                     or `governor=…`, `energy=…`, `profile=…`, several joined by commas"
                )));
            };
            if values.iter().any(|(it, _)| *it == knob) {
                return Err(Fault::unsupported(format!(
                    "the power plan `{wish}` names the {} twice",
                    knob.words()
                )));
            }
            values.push((knob, value.trim().to_owned()));
        }
        values.sort_by_key(|(knob, _)| Knob::ALL.iter().position(|it| it == knob));
        Ok(values)
    }

    /// Why a value can't be set, if it can't.
    fn check(&self, knob: Knob, value: &str) -> Result<(), Fault> {
        let words = knob.words();
        if self.found.is_empty() {
            return Err(nothing());
        }
        if !self.has(knob) {
            return Err(Fault::unsupported(format!("this machine has no {words}")));
        }
        for place in self.places_of(knob) {
            if !self.accepts(place, value) {
                return Err(Fault::unsupported(format!(
                    "the {words} `{value}` isn't offered here, only {}",
                    listed(&self.choices(place))
                )));
            }
            let Some(now) = self.value(place).filter(|now| now != value) else {
                continue;
            };
            if !self.accepts(place, &now) {
                return Err(Fault::unsupported(format!(
                    "the {words} is `{now}`, which could not be put back after a change"
                )));
            }
            if let Err(error) = self.open(place) {
                return Err(Fault::unsupported(format!(
                    "the {words} can't be changed from `{now}` to `{value}`: {error}; \
                     the administrator (root) may change /{place}"
                )));
            }
        }
        Ok(())
    }
}

fn nothing() -> Fault {
    Fault::unsupported(
        "this machine offers no power plan: neither a frequency governor nor an energy preference \
         nor a platform profile",
    )
}

fn listed(choices: &[String]) -> String {
    if choices.is_empty() {
        return "what the kernel doesn't list".to_owned();
    }
    let quoted: Vec<String> = choices.iter().map(|it| format!("`{it}`")).collect();
    quoted.join(", ")
}

impl Plans for Linux {
    fn places(&self) -> Vec<String> {
        self.found
            .iter()
            .map(|(_, place, _)| place.clone())
            .collect()
    }

    fn value(&self, place: &str) -> Option<String> {
        self.tree.text(place)
    }

    fn accepts(&self, place: &str, value: &str) -> bool {
        let Some((knob, _, _)) = self.found.iter().find(|(_, it, _)| it == place) else {
            return false;
        };
        // Between the named preferences there are numbered ones.
        if *knob == Knob::Energy && value.parse::<u8>().is_ok() {
            return true;
        }
        let choices = self.choices(place);
        if choices.is_empty() {
            let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            return !value.is_empty() && value.len() <= 40 && value.chars().all(is_word);
        }
        choices.iter().any(|it| it == value)
    }

    fn write(&self, place: &str, value: &str) -> Result<(), Fault> {
        let entry = self.found.iter().find(|(_, it, _)| it == place);
        let Some((knob, place, _)) = entry else {
            return Err(Fault::failed(format!("`{place}` is no power plan")));
        };
        let write = || {
            let mut file = self.open(place)?;
            // A file of a kernel has no length; a made one has.
            let _ = file.set_len(0);
            file.write_all(value.as_bytes())
        };
        write().map_err(|error| {
            let governor = self.values(Knob::Governor).join("/");
            let hint = if *knob == Knob::Energy && governor == "performance" {
                "; while the governor is `performance` the kernel lets no other energy preference in: \
                 add `governor=powersave`"
            } else {
                ""
            };
            let words = knob.words();
            Fault::failed(format!(
                "the {words} `{value}` was refused: {error}{hint}"
            ))
        })
    }

    fn read(&self) -> Result<String, Fault> {
        if self.found.is_empty() {
            return Err(nothing());
        }
        let parts: Vec<String> = [Knob::Governor, Knob::Energy, Knob::Profile]
            .into_iter()
            .filter(|knob| self.has(*knob))
            .map(|knob| format!("{}={}", knob.name(), self.values(knob).join("/")))
            .collect();
        Ok(parts.join(","))
    }

    fn resolve(&self, wish: &str) -> Result<Vec<Change>, Fault> {
        let mut changes = Vec::new();
        for (knob, value) in self.parse(wish)? {
            self.check(knob, &value)?;
            changes.extend(self.places_of(knob).map(|place| Change {
                name: knob.name(),
                place: place.to_owned(),
                value: value.clone(),
            }));
        }
        Ok(changes)
    }

    fn effective(&self, wish: &[Change]) -> String {
        let parts: Vec<String> = [Knob::Governor, Knob::Energy, Knob::Profile]
            .into_iter()
            .filter(|knob| wish.iter().any(|change| change.name == knob.name()))
            .map(|knob| format!("{}={}", knob.name(), self.values(knob).join("/")))
            .collect();
        parts.join(",")
    }
}
