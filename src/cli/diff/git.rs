//! A state of a site out of its Git repository, read by Git itself.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};

use crate::diag::Report;
use crate::source::{self, Files};

/// The files of a site as a revision has them.
pub(super) fn read(root: &Path, revision: &str, report: &mut Report) -> anyhow::Result<Files> {
    ensure!(
        !revision.is_empty() && !revision.starts_with('-'),
        "a commit, branch or tag is needed after `git:`"
    );
    let tree = output(root, &["ls-tree", "-r", "-z", revision])?;
    let mut names = Vec::new();
    let mut wanted = Vec::new();
    for entry in tree.split(|byte| *byte == 0) {
        // `100644 blob OBJECT\tPATH`; links and other repositories are no files of a site.
        let entry = String::from_utf8_lossy(entry);
        let Some((kind, path)) = entry.split_once('\t') else {
            continue;
        };
        if let ["100644" | "100755", "blob", object] = kind.split(' ').collect::<Vec<_>>()[..] {
            names.push(path.to_owned());
            wanted.push(object.to_owned());
        }
    }
    let contents = contents(root, &wanted)?;
    Ok(source::from_bytes(names.into_iter().zip(contents), report))
}

fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root);
    command.env("LC_ALL", "C");
    // Within a hook these name the repository whose hook it is, whatever folder is asked for.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
}

fn output(root: &Path, words: &[&str]) -> anyhow::Result<Vec<u8>> {
    let done = git(root)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .context("Git can't be run")?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let said = said.lines().next().unwrap_or("it said nothing");
        bail!("Git says: {}", said.trim_start_matches("fatal: "));
    }
    Ok(done.stdout)
}

/// The contents of objects, in their order.
fn contents(root: &Path, objects: &[String]) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut child = git(root)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("Git can't be run")?;
    let mut asked: Vec<u8> = objects.join("\n").into_bytes();
    asked.push(b'\n');
    let input = child.stdin.take();
    // Git answers while it is asked: a thread asks, lest both wait for the other.
    let asking =
        std::thread::spawn(move || input.map_or(Ok(()), |mut input| input.write_all(&asked)));
    let done = child.wait_with_output().context("Git can't be read")?;
    let _ = asking.join();
    let mut rest = &done.stdout[..];
    let mut all = Vec::new();
    for object in objects {
        // `OBJECT blob SIZE\nCONTENT\n`
        let torn = || format!("Git's answer about {object} can't be read");
        let end = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .with_context(torn)?;
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size = head.rsplit(' ').next().and_then(|size| size.parse().ok());
        let size: usize = size.with_context(torn)?;
        let content = rest.get(end + 1..end + 1 + size).with_context(torn)?;
        all.push(content.to_vec());
        rest = rest.get(end + 2 + size..).unwrap_or_default();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn git_does(root: &Path, words: &[&str]) {
        let done = git(root)
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
            .args(words)
            .output()
            .expect("Git runs");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    #[test]
    fn a_site_in_a_repository_is_read_as_a_commit_has_it() {
        if Command::new("git").arg("--version").output().is_err() {
            println!("skipped: there is no Git here");
            return;
        }
        let temp = tempfile::tempdir().expect("a folder");
        let site = temp.path().join("site");
        fs::create_dir_all(site.join("data/a/runs/one/logs")).expect("a folder");
        let write = |path: &str, text: &[u8]| fs::write(site.join(path), text).expect("written");
        write("site.toml", b"title = \"T\"\n");
        write("data/a/ä ö.csv", b"a\n\n1\n");
        write("data/a/picture.png", &[0x89, 0, b'\n', 255]);
        write("data/a/empty.csv", b"");
        write("data/a/runs/one/run.json", b"{}");
        write("data/a/runs/one/logs/0.log", b"the runner's own");
        write("data/a/.hidden", b"passed over");
        write("notes.txt", b"no part of a site");
        fs::write(temp.path().join("beside.md"), "beside the site").expect("written");
        git_does(temp.path(), &["init", "--quiet"]);
        git_does(temp.path(), &["add", "."]);
        git_does(temp.path(), &["commit", "--quiet", "-m", "one"]);
        write("site.toml", b"title = \"changed since\"\n");
        let mut report = Report::new();
        let files = read(&site, "HEAD", &mut report).expect("files");
        let paths: Vec<&str> = files.paths().collect();
        assert_eq!(
            paths,
            [
                "data/a/empty.csv",
                "data/a/picture.png",
                "data/a/runs/one/run.json",
                "data/a/ä ö.csv",
                "site.toml"
            ]
        );
        let bytes = |path: &str| files.get(path).expect("a file").bytes().to_vec();
        assert_eq!(bytes("site.toml"), b"title = \"T\"\n");
        assert_eq!(bytes("data/a/picture.png"), [0x89, 0, b'\n', 255]);
        assert_eq!(bytes("data/a/ä ö.csv"), b"a\n\n1\n");
        let fault = read(&site, "nowhere", &mut report).expect_err("no such commit");
        assert!(fault.to_string().contains("nowhere"), "{fault}");
        assert!(read(&site, "--output=x", &mut report).is_err());
    }
}
