//! Feeds any bytes to `bodies::time`.
#![no_main]

#[path = "../shared/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::time(bytes));
