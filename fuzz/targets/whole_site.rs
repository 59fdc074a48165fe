//! Feeds any bytes to `bodies::whole_site`.
#![no_main]

#[path = "../shared/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::whole_site(bytes));
