//! The built-in theme: the repository's own templates and static files, inside the program.

use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};

use crate::diag::Source;

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");
static STATIC: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/static");

/// Templates by name, in order.
pub fn templates() -> &'static [(String, Arc<Source>)] {
    static READ: LazyLock<Vec<(String, Arc<Source>)>> = LazyLock::new(|| {
        let mut all = Vec::new();
        walk(&TEMPLATES, &mut |name, bytes| {
            let is_template = [".html", ".xml", ".txt"]
                .iter()
                .any(|end| name.ends_with(end));
            if let Some(text) = std::str::from_utf8(bytes).ok().filter(|_| is_template) {
                all.push((name.clone(), Source::new(format!("built-in/{name}"), text)));
            }
        });
        all.sort();
        all
    });
    &READ
}

/// Static files by name, in order.
pub fn statics() -> &'static [(String, Vec<u8>)] {
    static READ: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
        let mut all = Vec::new();
        walk(&STATIC, &mut |name, bytes| all.push((name, bytes.to_vec())));
        all.sort();
        all
    });
    &READ
}

fn walk(folder: &'static Dir<'static>, take: &mut impl FnMut(String, &'static [u8])) {
    for file in folder.files() {
        take(
            file.path().to_string_lossy().replace('\\', "/"),
            file.contents(),
        );
    }
    for folder in folder.dirs() {
        walk(folder, take);
    }
}
