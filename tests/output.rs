//! A site is swapped in whole or not at all, and nobody else's files are touched.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// A small site in a folder of its own, with an output folder beside it.
struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    fn new() -> Self {
        let workshop = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        workshop.title("One");
        let page = |name: &str, text: &str| {
            let path = workshop.root().join("content").join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, format!("+++\ntitle = \"{name}\"\n+++\n\n{text}\n")).expect("a page");
        };
        page("_index.md", "Home.");
        page("notes/_index.md", "Notes.");
        for number in 0..40 {
            page(&format!("notes/note-{number}.md"), &"Words. ".repeat(200));
        }
        workshop
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out/public")
    }

    /// Gives the site a title, which changes every page.
    fn title(&self, title: &str) {
        fs::create_dir_all(self.root()).expect("a folder");
        fs::write(
            self.root().join("site.toml"),
            format!("title = \"{title}\"\n"),
        )
        .expect("settings");
    }

    fn command(&self, out: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchbook"));
        command
            .arg("build")
            .arg("--root")
            .arg(self.root())
            .arg("--out")
            .arg(out);
        command
    }

    fn build(&self, out: &Path) -> Output {
        self.command(out).output().expect("the program runs")
    }

    fn spawn(&self, out: &Path) -> Child {
        let mut command = self.command(out);
        command
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs")
    }
}

fn assert_code(output: &Output, code: i32) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

/// All files below a folder; links as what they lead to by name.
fn tree(folder: &Path) -> Tree {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| {
            let bytes = match fs::read_link(entry.path()) {
                Ok(target) => target.to_string_lossy().into_owned().into_bytes(),
                Err(_) => fs::read(entry.path()).expect("a readable file"),
            };
            let path = entry.path().strip_prefix(folder).expect("a file below it");
            (path.to_owned(), bytes)
        })
        .collect()
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_failed_build_leaves_the_old_site() {
    let workshop = Workshop::new();
    assert_code(&workshop.build(&workshop.out()), 0);
    let old = tree(&workshop.out());
    fs::write(
        workshop.root().join("content/notes/note-3.md"),
        "+++\ntitle = \"x\"\n+++\n[a](nowhere.md)\n",
    )
    .expect("a page");
    let said = assert_code(&workshop.build(&workshop.out()), 1);
    assert!(said.contains("nothing was written"), "{said}");
    assert_eq!(tree(&workshop.out()), old);
    assert_eq!(names(&workshop.folder.path().join("out")), ["public"]);
}

#[test]
fn a_killed_build_leaves_a_whole_site() {
    const MOMENTS: u32 = 24;
    let workshop = Workshop::new();
    let out = workshop.out();
    let start = Instant::now();
    assert_code(&workshop.build(&out), 0);
    let takes = start.elapsed();
    let mut old = tree(&out);
    let (mut kept, mut replaced) = (0, 0);
    for moment in 0..MOMENTS {
        let title = format!("Title {moment}");
        workshop.title(&title);
        let mut child = workshop.spawn(&out);
        // From the middle of a build, where nothing is written yet, to beyond its end.
        std::thread::sleep(takes.mul_f64(0.4 + 0.7 * f64::from(moment) / f64::from(MOMENTS)));
        child.kill().expect("a signal");
        child.wait().expect("an end");
        let now = tree(&out);
        if now == old {
            kept += 1;
            continue;
        }
        replaced += 1;
        let fresh = workshop.folder.path().join("fresh").join(&title);
        assert_code(&workshop.build(&fresh), 0);
        assert!(
            now == tree(&fresh),
            "half a site after {moment} of {MOMENTS}"
        );
        old = now;
    }
    println!("of {MOMENTS} killed builds {kept} left the old site, {replaced} the new one");
    workshop.title("Last");
    assert_code(&workshop.build(&out), 0);
    assert_eq!(names(&workshop.folder.path().join("out")), ["public"]);
}

#[test]
fn two_builds_at_once_leave_a_whole_site() {
    let workshop = Workshop::new();
    let other = Workshop::new();
    other.title("Two");
    let whole: Vec<Tree> = [&workshop, &other]
        .map(|workshop| {
            assert_code(&workshop.build(&workshop.out()), 0);
            tree(&workshop.out())
        })
        .into();
    let out = workshop.folder.path().join("shared/public");
    for turn in 0..10 {
        let mut children =
            [&workshop, &other, &workshop, &other].map(|workshop| workshop.spawn(&out));
        let codes = children
            .each_mut()
            .map(|child| child.wait().expect("an end").code());
        assert_eq!(codes, [Some(0); 4]);
        assert!(whole.contains(&tree(&out)), "a mixture after turn {turn}");
        assert_eq!(names(&workshop.folder.path().join("shared")), ["public"]);
    }
}

#[test]
fn foreign_folders_are_refused() {
    let workshop = Workshop::new();
    let out = workshop.out();
    fs::create_dir_all(&out).expect("a folder");
    assert_code(&workshop.build(&out), 0);
    let holiday = workshop.folder.path().join("holiday");
    fs::create_dir(&holiday).expect("a folder");
    fs::write(holiday.join("beach.jpg"), "sand").expect("a file");
    let before = tree(&holiday);
    let said = assert_code(&workshop.build(&holiday), 1);
    assert!(said.contains("foreign-folder"), "{said}");
    assert_eq!(tree(&holiday), before);
    // A file in its place is no folder at all.
    let file = workshop.folder.path().join("file");
    fs::write(&file, "text").expect("a file");
    let code = workshop.build(&file).status.code();
    assert!(matches!(code, Some(1 | 2)), "{code:?}");
    assert_eq!(fs::read(&file).expect("the file"), b"text");
}

#[test]
fn sources_are_never_replaced() {
    let workshop = Workshop::new();
    let before = tree(workshop.folder.path());
    let link = workshop.folder.path().join("link");
    symlink(workshop.root().join("content"), &link).expect("a link");
    let root = workshop.root();
    for out in [
        root.clone(),
        root.join("content"),
        root.join("content/public"),
        root.join("data"),
        root.join("x/.."),
        root.join("../site"),
        workshop.folder.path().to_owned(),
        link.clone(),
    ] {
        let said = assert_code(&workshop.build(&out), 1);
        assert!(said.contains("foreign-folder"), "{said}");
    }
    fs::remove_file(link).expect("the link is still there");
    assert_eq!(tree(workshop.folder.path()), before);
}

#[test]
fn foreign_files_are_kept_and_old_pages_removed() {
    let workshop = Workshop::new();
    let out = workshop.out();
    assert_code(&workshop.build(&out), 0);
    let foreign = [
        (".git/HEAD", "ref"),
        ("CNAME", "example.org"),
        ("en/notes/mine.txt", "mine"),
    ];
    for (path, text) in foreign {
        let path = out.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    symlink("CNAME", out.join("alias")).expect("a link");
    fs::set_permissions(out.join("CNAME"), fs::Permissions::from_mode(0o600)).expect("a mode");
    workshop.title("Two");
    fs::remove_file(workshop.root().join("content/notes/note-7.md")).expect("a page");
    let said = assert_code(&workshop.build(&out), 0);
    assert!(said.contains("1 removed"), "{said}");
    for (path, text) in foreign {
        assert_eq!(fs::read_to_string(out.join(path)).expect(path), text);
    }
    assert_eq!(
        fs::read_link(out.join("alias")).expect("a link"),
        Path::new("CNAME")
    );
    let mode = fs::metadata(out.join("CNAME"))
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        !out.join("en/notes/note-7").exists(),
        "an empty folder stays"
    );
}

#[test]
fn a_link_to_the_output_stays_a_link() {
    let workshop = Workshop::new();
    let real = workshop.folder.path().join("volume/site");
    fs::create_dir_all(&real).expect("a folder");
    let link = workshop.folder.path().join("public");
    symlink("volume/site", &link).expect("a link");
    for title in ["One", "Two"] {
        workshop.title(title);
        assert_code(&workshop.build(&link), 0);
        assert_eq!(
            fs::read_link(&link).expect("still a link"),
            Path::new("volume/site")
        );
        assert!(
            fs::read_to_string(real.join("index.html"))
                .expect("a page")
                .contains(title)
        );
    }
    assert_eq!(names(&workshop.folder.path().join("volume")), ["site"]);
}

/// A small disk of its own, where the system lets us have one.
struct Disk {
    folder: PathBuf,
}

impl Disk {
    fn new(folder: PathBuf, kibibytes: usize) -> Option<Self> {
        fs::create_dir_all(&folder).expect("a folder");
        let size = format!("size={kibibytes}k");
        mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], &folder).then_some(Self { folder })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let status = Command::new("mount")
        .args(arguments)
        .arg(folder)
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn a_full_disk_leaves_the_old_site() {
    let workshop = Workshop::new();
    assert_code(&workshop.build(&workshop.out()), 0);
    // A file takes whole pages. There is room for one site and a half.
    let pages = |bytes: &Vec<u8>| bytes.len().div_ceil(4096) * 4;
    let needed: usize = tree(&workshop.out()).values().map(pages).sum();
    let Some(disk) = Disk::new(workshop.folder.path().join("disk"), needed * 3 / 2) else {
        println!("skipped: mounting a small disk takes root");
        return;
    };
    let out = disk.folder.join("public");
    assert_code(&workshop.build(&out), 0);
    let old = tree(&out);
    workshop.title("Another");
    let said = assert_code(&workshop.build(&out), 2);
    assert!(said.contains("cannot write"), "{said}");
    assert_eq!(tree(&out), old);
    assert_eq!(names(&disk.folder), ["public"]);
}

#[test]
fn a_read_only_disk_leaves_the_old_site() {
    let workshop = Workshop::new();
    let Some(disk) = Disk::new(workshop.folder.path().join("disk"), 64 << 10) else {
        println!("skipped: mounting a disk takes root");
        return;
    };
    let out = disk.folder.join("public");
    assert_code(&workshop.build(&out), 0);
    let old = tree(&out);
    assert!(
        mount(&["-o", "remount,ro"], &disk.folder),
        "it can't be mounted anew"
    );
    // Nothing has changed, so nothing is to be written.
    assert_code(&workshop.build(&out), 0);
    workshop.title("Another");
    let said = assert_code(&workshop.build(&out), 2);
    assert!(said.contains("cannot write"), "{said}");
    assert_eq!(tree(&out), old);
}

#[test]
fn a_mounted_folder_is_left_alone() {
    let workshop = Workshop::new();
    let Some(disk) = Disk::new(workshop.folder.path().join("volume"), 64 << 10) else {
        println!("skipped: mounting a disk takes root");
        return;
    };
    let said = assert_code(&workshop.build(&disk.folder), 2);
    assert!(said.contains("choose a folder inside it"), "{said}");
    assert!(names(&disk.folder).is_empty());
    assert_code(&workshop.build(&disk.folder.join("public")), 0);
}

#[test]
fn a_build_does_not_wait() {
    // Nothing is read from the terminal, and no lock of a dead build is in the way.
    let workshop = Workshop::new();
    let parent = workshop.folder.path().join("out");
    fs::create_dir_all(parent.join(".public.benchbook-new/half")).expect("a folder");
    let start = Instant::now();
    assert_code(&workshop.build(&workshop.out()), 0);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(names(&parent), ["public"]);
}
