//! A quick hash for tables that are only looked up, never walked: keys come from one site's own files.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds the quick hash.
pub(super) type Quick = BuildHasherDefault<QuickHasher>;

/// Multiplies and turns, eight bytes at a time.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct QuickHasher(u64);

impl QuickHasher {
    fn add(&mut self, word: u64) {
        // The golden ratio's fraction: odd, with its bits well spread.
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut parts = bytes.chunks_exact(8);
        for part in &mut parts {
            self.add(
                part.iter()
                    .rev()
                    .fold(0, |word, &byte| word << 8 | u64::from(byte)),
            );
        }
        let rest = parts.remainder();
        if !rest.is_empty() {
            self.add(
                rest.iter()
                    .rev()
                    .fold(0, |word, &byte| word << 8 | u64::from(byte)),
            );
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.add(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.add(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn finish(&self) -> u64 {
        // The table looks at the low bits first, and the product's good ones are high.
        self.0 ^ self.0 >> 32
    }
}
