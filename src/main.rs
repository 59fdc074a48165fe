//! The `benchbook` command.

fn main() {}
