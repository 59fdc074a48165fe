//! Reproducible random numbers, the same on every engine and machine and from any place of the stream.

/// A stream of numbers that follows from a seed and a name: SplitMix64 (Steele, Lea and Flood 2014,
/// "Fast splittable pseudorandom number generators"), counted through instead of stepped, so that
/// the number at any place can be had without those before it.
#[derive(Debug, Clone)]
pub struct Random {
    key: u64,
    place: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    /// The stream with this name (`accounts`) and number (of a connection, a row, a block).
    pub fn new(seed: u64, name: &str, number: u64) -> Self {
        let named = name
            .bytes()
            .fold(mix(seed), |key, byte| mix(key ^ u64::from(byte)));
        Self {
            key: mix(named ^ mix(number)),
            place: 0,
        }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.place = self.place.wrapping_add(1);
        mix(self.key.wrapping_add(self.place.wrapping_mul(GOLDEN)))
    }

    /// A whole number from 0 up to, but not including, `end` (Lemire 2019, without its rejection: the
    /// bias is below one part in 2³² for ends below 2³²). 0 for an `end` of 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// A whole number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low).saturating_add(1);
        low.wrapping_add_unsigned(self.below(span))
    }

    /// A number from 0 up to, but not including, 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Small letters, as many as asked for.
    pub fn letters(&mut self, length: usize) -> String {
        (0..length)
            .map(|_| char::from(b'a' + self.below(26) as u8))
            .collect()
    }

    /// Brings a list into an order of its own (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            list.swap(end, self.below(end as u64 + 1) as usize);
        }
    }
}
