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

/// The light and the dark colour of each custom property.
fn colours() -> BTreeMap<String, [String; 2]> {
    let path = format!("{}/static/style.css", env!("CARGO_MANIFEST_DIR"));
    let sheet = fs::read_to_string(path).expect("a style sheet");
    let mut colours = BTreeMap::new();
    for line in sheet.lines() {
        let Some((name, rest)) = line.trim().split_once(": light-dark(") else {
            continue;
        };
        let Some((light, dark)) = rest.trim_end_matches(");").split_once(", ") else {
            continue;
        };
        // The first wins: later ones are wishes of other media.
        colours
            .entry(name.to_owned())
            .or_insert([light.to_owned(), dark.to_owned()]);
    }
    colours
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
    let colours = colours();
    let mut pairs = Vec::new();
    for ink in ["ink", "muted", "accent", "good", "bad", "unsure"] {
        pairs.extend([
            (ink.to_owned(), "paper".to_owned()),
            (ink.to_owned(), "surface".to_owned()),
        ]);
    }
    for ink in ["ink", "accent", "good", "bad", "unsure"] {
        pairs.push((ink.to_owned(), "glow".to_owned()));
    }
    pairs.push(("muted".to_owned(), "hatch".to_owned()));
    for series in 1..=8 {
        pairs.push((format!("series-{series}"), "paper".to_owned()));
    }
    for series in [1, 3, 4] {
        pairs.push((format!("series-{series}"), "surface".to_owned()));
    }
    for heat in 0..=8 {
        let ink = if heat < 5 {
            "heat-ink-near"
        } else {
            "heat-ink-far"
        };
        pairs.push((ink.to_owned(), format!("heat-{heat}")));
    }
    for (ink, ground) in pairs {
        for theme in 0..2 {
            let [ink_colour, ground_colour] =
                [&ink, &ground].map(|name| &colours[&format!("--{name}")][theme]);
            let found = contrast(ink_colour, ground_colour);
            assert!(
                found >= 4.5,
                "{ink} on {ground} in theme {theme}: {found:.2}"
            );
        }
    }
}

#[test]
fn the_heat_scale_keeps_its_order_in_grey() {
    let colours = colours();
    for theme in 0..2 {
        let steps: Vec<f64> = (0..=8)
            .map(|heat| luminance(&colours[&format!("--heat-{heat}")][theme]))
            .collect();
        let falls = steps.is_sorted_by(|one, other| one > other);
        let rises = steps.is_sorted_by(|one, other| one < other);
        assert!(if theme == 0 { falls } else { rises }, "{steps:?}");
    }
}
