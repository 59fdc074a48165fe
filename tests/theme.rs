//! The built-in theme: Tera takes every template, every interface word exists, every colour can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tera::{Kwargs, State, Tera, TeraResult};

/// Every template by its name below `templates/`.
fn templates() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    walkdir::WalkDir::new(&folder)
        .into_iter()
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| entry.path().extension().is_none_or(|end| end != "toml"))
        .map(|entry| {
            let name = entry.path().strip_prefix(&folder).expect("a file below it");
            let text = fs::read_to_string(entry.path()).expect("a readable template");
            (name.to_string_lossy().replace('\\', "/"), text)
        })
        .collect()
}

#[test]
fn tera_takes_every_template() {
    let mut tera = Tera::new();
    tera.register_filter(
        "message",
        |key: &str, _: Kwargs, _: &State| -> TeraResult<String> { Ok(key.to_owned()) },
    );
    if let Err(fault) = tera.add_raw_templates(templates()) {
        panic!("{fault}");
    }
}

#[test]
fn every_interface_word_is_in_every_catalog() {
    let mut keys = BTreeSet::new();
    for text in templates().values() {
        for piece in text
            .split(" | message")
            .filter(|piece| piece.ends_with('"'))
        {
            let quoted = piece.trim_end_matches('"');
            keys.extend(quoted.rsplit('"').next().map(str::to_owned));
        }
    }
    assert!(keys.contains("skip-to-content"), "no keys found: {keys:?}");
    for lang in ["en", "de", "ru", "vi"] {
        let path = format!(
            "{}/templates/locale/{lang}.toml",
            env!("CARGO_MANIFEST_DIR")
        );
        let catalog: toml::Table = fs::read_to_string(&path)
            .unwrap_or_else(|fault| panic!("{path}: {fault}"))
            .parse()
            .unwrap_or_else(|fault| panic!("{path}: {fault}"));
        let missing: Vec<_> = keys
            .iter()
            .filter(|key| !catalog.contains_key(*key))
            .collect();
        assert!(missing.is_empty(), "{path} lacks {missing:?}");
    }
}

/// The custom properties that are colours, by name: those of light and those of dark.
fn themes() -> [BTreeMap<String, String>; 2] {
    let path = format!("{}/static/style.css", env!("CARGO_MANIFEST_DIR"));
    let sheet = fs::read_to_string(path).expect("a style sheet");
    let mut themes = [BTreeMap::new(), BTreeMap::new()];
    for line in sheet.lines() {
        let Some((name, rest)) = line.trim().split_once(": light-dark(") else {
            continue;
        };
        let pair = rest.trim_end_matches(");").split(", ");
        for (theme, colour) in themes.iter_mut().zip(pair) {
            let name = name.trim_start_matches("--").to_owned();
            // The first wins: later ones are wishes of other media.
            theme.entry(name).or_insert_with(|| colour.to_owned());
        }
    }
    themes
}

/// Relative luminance as WCAG 2 defines it.
fn luminance(colour: &str) -> f64 {
    let channel = |place: usize| {
        let value = u8::from_str_radix(&colour[place..place + 2], 16).expect("#rrggbb");
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

/// Contrast as WCAG 2 defines it.
fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_can_be_read_on_its_ground() {
    let mut pairs = vec![("muted".to_owned(), "hatch".to_owned())];
    for ink in ["ink", "muted", "accent", "good", "bad", "unsure"] {
        for ground in ["paper", "surface"] {
            pairs.push((ink.to_owned(), ground.to_owned()));
        }
    }
    for ink in ["ink", "accent", "good", "bad", "unsure"] {
        pairs.push((ink.to_owned(), "glow".to_owned()));
    }
    pairs.extend((1..=8).map(|series| (format!("series-{series}"), "paper".to_owned())));
    // Highlighted code borrows these.
    pairs.extend([1, 3, 4].map(|series| (format!("series-{series}"), "surface".to_owned())));
    for heat in 0..=8 {
        let ink = if heat < 5 {
            "heat-ink-near"
        } else {
            "heat-ink-far"
        };
        pairs.push((ink.to_owned(), format!("heat-{heat}")));
    }
    for theme in themes() {
        for (ink, ground) in &pairs {
            let found = contrast(&theme[ink], &theme[ground]);
            assert!(found >= 4.5, "{ink} on {ground}: {found:.2} in {theme:?}");
        }
    }
}

#[test]
fn the_heat_scale_keeps_its_order_in_grey() {
    let [light, dark] = themes().map(|theme| {
        (0..=8)
            .map(|heat| luminance(&theme[&format!("heat-{heat}")]))
            .collect()
    });
    let (light, dark): (Vec<f64>, Vec<f64>) = (light, dark);
    assert!(light.is_sorted_by(|one, other| one > other), "{light:?}");
    assert!(dark.is_sorted_by(|one, other| one < other), "{dark:?}");
}
