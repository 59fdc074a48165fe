//! Texts as result files keep them: without secrets, names of people and machines, and places on the disk.

use std::path::Path;

use serde_json::Value as Json;

use super::engine::Server;
use super::redact::{self, Names};

/// Makes texts fit to be kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Neutral {
    names: Names,
    /// The run's folder, in every way it may be written.
    folders: Vec<String>,
    /// Its scratch folder, if that is elsewhere.
    scratch: Option<String>,
    /// The server that somebody else runs.
    server: Option<Server>,
}

/// What stands for the run's folder.
const RUN: &str = "{run}";
/// What stands for a scratch folder elsewhere.
const SCRATCH: &str = "{scratch}";

impl Neutral {
    /// For texts of a run in a folder.
    pub(super) fn new(folder: &Path, names: Names) -> Self {
        let whole = std::path::absolute(folder).ok();
        let real = std::fs::canonicalize(folder).ok();
        let mut folders: Vec<String> = whole
            .iter()
            .chain(&real)
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        folders.dedup();
        Self {
            names,
            folders,
            scratch: None,
            server: None,
        }
    }

    /// For texts that also tell of a scratch folder elsewhere.
    pub(super) fn with_scratch(self, scratch: Option<&Path>) -> Self {
        let scratch = scratch.map(|path| path.to_string_lossy().into_owned());
        Self { scratch, ..self }
    }

    /// For texts that also tell of a server which somebody else runs.
    pub(super) fn with_server(self, server: Option<Server>) -> Self {
        Self { server, ..self }
    }

    /// A text that can be kept.
    pub(super) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for folder in &self.folders {
            if text.contains(folder) {
                text = text.replace(folder, RUN);
            }
        }
        if let Some(scratch) = &self.scratch {
            text = text.replace(scratch, SCRATCH);
        }
        if let Some(server) = &self.server {
            text = redact::server(&text, server);
        }
        redact::names(&redact::text(&text), &self.names)
    }

    /// What a program printed, as it can be kept: all that is text as [`Self::text`] has it, and other
    /// bytes as they are.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(text).into_bytes(),
            Err(_) => restored(&self.text(&written(bytes))),
        }
    }

    /// A text of one line that can be kept.
    pub(super) fn line(&self, text: &str) -> String {
        let text = self.text(text);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<&str>>().join("; ")
    }

    /// A fact that can be kept.
    pub(super) fn json(&self, value: Json) -> Json {
        match value {
            Json::String(text) => Json::String(self.text(&text)),
            Json::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Json::Object(pairs) => pairs
                .into_iter()
                .map(|(key, value)| (key, self.json(value)))
                .collect(),
            other => other,
        }
    }
}

/// The first of 256 letters for private use, which stand for bytes that are no text. So a secret is hidden
/// whole if there is such a byte in it.
const BYTES: u32 = 0x10_0000;

/// Bytes as a text. Such a letter that is there already is written as the bytes it consists of.
fn written(bytes: &[u8]) -> String {
    let letter = |byte: &u8| char::from_u32(BYTES + u32::from(*byte)).unwrap_or_default();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for valid in chunk.valid().chars() {
            match byte(valid) {
                Some(_) => {
                    text.extend(valid.encode_utf8(&mut [0; 4]).as_bytes().iter().map(letter));
                }
                None => text.push(valid),
            }
        }
        text.extend(chunk.invalid().iter().map(letter));
    }
    text
}

/// The byte that a letter stands for.
fn byte(letter: char) -> Option<u8> {
    let above = u32::from(letter).checked_sub(BYTES)?;
    u8::try_from(above).ok()
}

/// The bytes of a text from [`written`].
fn restored(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match byte(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        let neutral = Neutral::default();
        let all: Vec<u8> = (0..=255).collect();
        let private = "\u{100041} \u{1000ff}é".as_bytes();
        for bytes in [&all, private, &[private, &all].concat(), b"\xff", b""] {
            assert_eq!(neutral.bytes(bytes), bytes);
        }
        let kept = neutral.bytes(b"\x80password=s3\xfecret \xc3\xa9\xff");
        assert_eq!(kept, b"\x80password=*** \xc3\xa9\xff");
    }

    #[test]
    fn places_on_the_disk_are_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let neutral = Neutral::new(folder.path(), Names::default());
        let path = folder.path().join("scratch/3/data/db");
        let text = format!("cannot open {}:\n  it is locked\n", path.display());
        assert_eq!(
            neutral.line(&text),
            "cannot open {run}/scratch/3/data/db:; it is locked"
        );
        let fact = serde_json::json!({ "a": [path.to_string_lossy(), 1] });
        assert_eq!(
            neutral.json(fact),
            serde_json::json!({ "a": ["{run}/scratch/3/data/db", 1] })
        );
    }
}
