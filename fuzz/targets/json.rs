//! Feeds any bytes to `bodies::json`.
#![no_main]

#[path = "../shared/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::json(bytes));
