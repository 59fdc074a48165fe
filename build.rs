//! Rebuilds when a file of the built-in theme is added or changed.

fn main() {
    println!("cargo:rerun-if-changed=templates");
    println!("cargo:rerun-if-changed=static");
}
