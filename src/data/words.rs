//! Words in cells that stand for a reason why there is no value.

use std::collections::HashMap;
use std::sync::Arc;

use super::entry::Entry;
use super::format::Told;
use crate::model::{Missing, MissingReason};
use crate::text::Localized;

/// The words that stand for a reason.
pub(super) struct Words<'e> {
    entry: &'e Entry,
    default: MissingReason,
    notes: HashMap<&'e str, Arc<Localized>>,
}

impl<'e> Words<'e> {
    /// The words of an entry; those it only notes stand for `default`.
    pub(super) fn new(entry: &'e Entry, default: MissingReason) -> Self {
        let notes = entry.notes.iter();
        let notes = notes
            .map(|(word, note)| (&**word, Arc::new(note.clone())))
            .collect();
        Self {
            entry,
            default,
            notes,
        }
    }

    /// What is said about a word.
    pub(super) fn note(&self, word: &str) -> Option<Arc<Localized>> {
        self.notes.get(word).cloned()
    }

    /// The reason a word stands for: one that the entry lists, one it only notes, or the reason's
    /// own name.
    pub(super) fn missing(&self, word: &str) -> Option<Missing> {
        let plain = word.starts_with(|sign: char| sign.is_ascii_digit());
        if plain && self.entry.missing.is_empty() && self.notes.is_empty() {
            return None;
        }
        let note = self.notes.get(word).cloned();
        let listed = self
            .entry
            .missing
            .get(word)
            .copied()
            .or_else(|| MissingReason::parse(word));
        let reason = listed.or_else(|| note.is_some().then_some(self.default))?;
        Some(Missing { reason, note })
    }

    /// A reason that the format tells, with the definition's words for it or its own.
    pub(super) fn told(&self, told: &Told) -> Missing {
        let own = || Arc::new(Localized::new(&*told.text));
        let note = self.notes.get(told.word).cloned().unwrap_or_else(own);
        Missing {
            reason: told.reason,
            note: Some(note),
        }
    }
}
