//! What a program prints: all of it is taken, little enough of it is kept.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::fault::{Fault, LOG_TAIL};
use super::super::redact;

/// How much of the beginning a log holds, in bytes.
const HEAD: usize = 64 << 10;

/// How much of the end a log holds.
const TAIL: usize = 1 << 20;

/// How much of a stream is kept to be searched.
const SEARCHED: usize = 16 << 20;

/// What both streams of a program gave so far; the threads that read them share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Printed(Arc<Mutex<Streams>>);

/// What both streams gave.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Both, about in the order in which they came: pieces that come at the same time may change places.
    pub(super) log: Cut,
    /// Standard output.
    pub(super) output: Kept,
    /// Standard error.
    pub(super) errors: Kept,
}

impl Printed {
    /// What there is so far.
    pub(super) fn lock(&self) -> MutexGuard<'_, Streams> {
        // Whoever held it before has at worst not added its last piece.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes everything that a pipe gives, until nobody holds its other end any more.
    pub(super) fn drain(&self, mut pipe: impl Read, stream: fn(&mut Streams) -> &mut Kept) {
        let mut piece = vec![0; 64 << 10];
        loop {
            match pipe.read(&mut piece) {
                Ok(0) => return,
                Ok(length) => {
                    let mut streams = self.lock();
                    streams.log.add(&piece[..length]);
                    stream(&mut streams).add(&piece[..length]);
                }
                Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

impl Streams {
    /// The last that was printed, for a fault: the end of standard error after that of standard output,
    /// because what went wrong is said there.
    pub(super) fn tail(&self) -> String {
        let (output, errors) = (&self.output.end, &self.errors.end);
        // Each has at least half of the room, and what the other doesn't need.
        let room = LOG_TAIL - output.len().min(LOG_TAIL / 2);
        let errors = errors.range(errors.len().saturating_sub(room)..);
        let room = LOG_TAIL - errors.len();
        let output = output.range(output.len().saturating_sub(room)..);
        let mut bytes: Vec<u8> = output.copied().collect();
        if errors.len() > 0 && bytes.last().is_some_and(|byte| *byte != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend(errors);
        readable(&bytes)
    }
}

/// A stream: its beginning, to be searched, and its end, to be shown.
#[derive(Debug, Default)]
pub(super) struct Kept {
    bytes: Vec<u8>,
    is_cut: bool,
    end: VecDeque<u8>,
}

impl Kept {
    fn add(&mut self, piece: &[u8]) {
        let room = SEARCHED - self.bytes.len();
        self.is_cut |= piece.len() > room;
        self.bytes
            .extend_from_slice(&piece[..piece.len().min(room)]);
        let last = &piece[piece.len().saturating_sub(LOG_TAIL)..];
        self.end.extend(last);
        let over = self.end.len().saturating_sub(LOG_TAIL);
        self.end.drain(..over);
    }

    /// Its text, unless there is too much of it.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, Fault> {
        if self.is_cut {
            let most = SEARCHED >> 20;
            return Err(Fault::failed(format!(
                "more than {most} MiB were printed, too much to look for results in"
            )));
        }
        Ok(String::from_utf8_lossy(&self.bytes))
    }
}

/// The beginning and the end of what was printed.
#[derive(Debug, Default)]
pub(super) struct Cut {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Cut {
    /// Adds what came next.
    pub(super) fn add(&mut self, piece: &[u8]) {
        let (head, rest) = piece.split_at(piece.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
        self.left_out += over as u64;
    }

    /// Whether nothing was printed.
    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// As it stands in a log: what is readable without its secrets, all else as it came.
    pub(super) fn to_log(&self, out: &mut Vec<u8>) {
        hide(&self.head, out);
        if self.left_out > 0 {
            let note = format!("\n[… {} bytes are left out here …]\n", self.left_out);
            out.extend_from_slice(note.as_bytes());
        }
        let (first, second) = self.tail.as_slices();
        hide(&[first, second].concat(), out);
        if out.last().is_some_and(|byte| *byte != b'\n') {
            out.push(b'\n');
        }
    }
}

/// Text without secrets and without signs that steer a terminal.
pub(super) fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let text = redact::text(&text);
    text.chars()
        .map(|letter| match letter {
            '\n' | '\t' => letter,
            // Progress bars go back to the beginning of their line.
            '\r' => '\n',
            _ if letter.is_control() => char::REPLACEMENT_CHARACTER,
            _ => letter,
        })
        .collect()
}

/// Lines that are text lose their secrets; others stay as they are.
fn hide(bytes: &[u8], out: &mut Vec<u8>) {
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match std::str::from_utf8(line) {
            Ok(text) => out.extend_from_slice(redact::text(text).as_bytes()),
            Err(_) => out.extend_from_slice(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(cut: &Cut) -> Vec<u8> {
        let mut out = Vec::new();
        cut.to_log(&mut out);
        out
    }

    #[test]
    fn a_short_log_is_whole_and_a_long_one_says_what_it_lacks() {
        let mut cut = Cut::default();
        assert!(cut.is_empty());
        cut.add(b"one\ntwo");
        assert_eq!(logged(&cut), b"one\ntwo\n");
        let line = |number: usize| format!("{number:>9}\n");
        for number in 1..300_000 {
            cut.add(line(number).as_bytes());
        }
        let log = String::from_utf8(logged(&cut)).expect("text");
        assert!(
            log.starts_with("one\ntwo        1\n        2\n"),
            "{}",
            &log[..40]
        );
        assert!(log.ends_with("   299999\n"));
        let left_out = 7 + 299_999 * 10 - HEAD - TAIL;
        assert!(log.contains(&format!("\n[… {left_out} bytes are left out here …]\n")));
        assert!(log.len() < HEAD + TAIL + 100, "{}", log.len());
    }

    #[test]
    fn the_end_shows_both_streams_and_errors_last() {
        let ends = |output: &[u8], errors: &[u8]| {
            let mut streams = Streams::default();
            streams.errors.add(errors);
            streams.output.add(output);
            streams.tail()
        };
        assert_eq!(ends(b"out", b""), "out");
        assert_eq!(ends(b"", b"wrong"), "wrong");
        assert_eq!(ends(b"out", b"wrong\n"), "out\nwrong\n");
        let (many, more) = (vec![b'a'; 2 * LOG_TAIL], vec![b'b'; 2 * LOG_TAIL]);
        assert_eq!(ends(&many, b"wrong"), "a".repeat(LOG_TAIL - 5) + "\nwrong");
        assert_eq!(
            ends(b"out\n", &many),
            "out\n".to_owned() + &"a".repeat(LOG_TAIL - 4)
        );
        let half = LOG_TAIL / 2;
        assert_eq!(
            ends(&many, &more),
            "a".repeat(half) + "\n" + &"b".repeat(half)
        );
    }

    #[test]
    fn bytes_that_are_no_text_survive_in_a_log_and_are_marked_in_a_fault() {
        let mut cut = Cut::default();
        cut.add(b"\xff\x00\x1b[31m\nred\r\n");
        assert_eq!(logged(&cut), b"\xff\x00\x1b[31m\nred\r\n");
        let shown = readable(b"\xff\x00\x1b[31m\nred\r\n12 %\r13 %");
        assert_eq!(shown, "\u{fffd}\u{fffd}\u{fffd}[31m\nred\n12 %\n13 %");
    }

    #[test]
    fn too_much_to_search_is_said() {
        let mut kept = Kept::default();
        kept.add(&vec![b'a'; SEARCHED]);
        assert_eq!(kept.text().map(|text| text.len()), Ok(SEARCHED));
        kept.add(b"b");
        let fault = kept.text().expect_err("too much");
        assert!(fault.message.starts_with("more than 16 MiB"), "{fault}");
    }
}
