//! The disk and the file system that hold a folder.

use std::path::{Path, PathBuf};

use super::super::tree::Tree;
use super::facts::{DECIMAL, Facts, amount};

/// A file system where it is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// Its device's number, such as `8:1`; made up by some kinds, which then begins with `0:`.
    number: String,
    /// Its kind, such as `ext4`.
    kind: String,
    /// What it is mounted from, such as `/dev/sda1`.
    source: String,
    options: Vec<String>,
}

/// A whole disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Disk {
    /// Its folder in the tree.
    pub place: String,
    /// What lies between the file system and it: `LVM`, `LUKS`, `raid1`.
    layers: Vec<String>,
}

pub(super) fn facts(tree: &Tree, folder: &Path, facts: &mut Facts) {
    let mount = mount(tree, folder);
    let disk = mount.as_ref().and_then(|mount| mount.disk(tree));
    let disk = disk.as_ref();
    facts.text("disk", disk.and_then(|disk| disk.words(tree)));
    facts.text("disk_scheduler", disk.and_then(|disk| disk.scheduler(tree)));
    let cache = disk.and_then(|disk| tree.text(&format!("{}/queue/write_cache", disk.place)));
    facts.text("disk_cache", cache);
    facts.text("filesystem", mount.as_ref().map(|mount| mount.kind.clone()));
    let options = mount.as_ref().and_then(Mount::shown_options);
    facts.text("mount_options", options);
}

/// The file system that holds a folder. `folder` is one of this machine; links in it are followed as far
/// as it is there already.
pub(super) fn mount(tree: &Tree, folder: &Path) -> Option<Mount> {
    let table = tree.text("proc/self/mountinfo")?;
    find(&table, &whole(folder))
}

/// A folder's whole path, whether it is there already or not.
fn whole(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for above in absolute.ancestors() {
        if let Ok(real) = above.canonicalize() {
            let rest = absolute.strip_prefix(above).unwrap_or(Path::new(""));
            return real.join(rest);
        }
    }
    absolute
}

/// The last of those that are mounted nearest above a folder: later ones hide earlier ones.
fn find(table: &str, folder: &Path) -> Option<Mount> {
    let mut best: Option<(usize, Mount)> = None;
    for line in table.lines() {
        let Some((point, mount)) = line_of(line) else {
            continue;
        };
        let depth = point.components().count();
        let is_nearer = best.as_ref().is_none_or(|(it, _)| depth >= *it);
        if folder.starts_with(&point) && is_nearer {
            best = Some((depth, mount));
        }
    }
    best.map(|(_, mount)| mount)
}

/// A line of mountinfo: `27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard`.
fn line_of(line: &str) -> Option<(PathBuf, Mount)> {
    let (first, second) = line.split_once(" - ")?;
    let mut first = first.split(' ');
    let number = first.nth(2)?;
    let point = first.nth(1)?;
    let own = first.next()?;
    let mut second = second.split(' ');
    let kind = second.next()?;
    let source = second.next()?;
    let shared = second.next().unwrap_or_default();
    let mut options: Vec<String> = Vec::new();
    for option in own.split(',').chain(shared.split(',')) {
        if !option.is_empty() && !options.iter().any(|it| it == option) {
            options.push(option.to_owned());
        }
    }
    let mount = Mount {
        number: number.to_owned(),
        kind: kind.to_owned(),
        source: plain(source),
        options,
    };
    Some((PathBuf::from(plain(point)), mount))
}

/// Undoes how the kernel writes white space and backslashes in paths.
fn plain(text: &str) -> String {
    text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\")
}

impl Mount {
    /// The options that tell nothing of people and places: switches, and values that are known to be
    /// about how files are kept.
    fn shown_options(&self) -> Option<String> {
        const VALUES: [&str; 16] = [
            "allocsize",
            "barrier",
            "commit",
            "compress",
            "compress-force",
            "data",
            "discard",
            "errors",
            "journal_async_commit",
            "logbsize",
            "logbufs",
            "nfsvers",
            "rsize",
            "size",
            "vers",
            "wsize",
        ];
        let shown: Vec<&str> = self
            .options
            .iter()
            .map(String::as_str)
            .filter(|option| match option.split_once('=') {
                Some((name, value)) => VALUES.contains(&name) && !value.contains('/'),
                None => option
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'),
            })
            .collect();
        (!shown.is_empty()).then(|| shown.join(","))
    }

    /// The disk that it lies on; nothing for one in memory or on a network.
    pub(super) fn disk(&self, tree: &Tree) -> Option<Disk> {
        let by_number = format!("sys/dev/block/{}", self.number);
        let start = tree.followed(&by_number).or_else(|| {
            // Some kinds (btrfs, zfs) have a number of their own; the source may name a disk still.
            let device = self.source.strip_prefix("/dev/")?;
            let device = tree
                .path(&self.source)
                .canonicalize()
                .ok()
                .and_then(|path| path.file_name()?.to_str().map(str::to_owned))
                .unwrap_or_else(|| device.to_owned());
            tree.followed(&format!("sys/class/block/{device}"))
        })?;
        let mut disk = Disk {
            place: start,
            layers: Vec::new(),
        };
        if tree.has(&format!("{}/partition", disk.place)) {
            disk.place = parent(&disk.place)?;
        }
        disk.look_below(tree);
        Some(disk)
    }
}

fn parent(place: &str) -> Option<String> {
    place.rsplit_once('/').map(|(above, _)| above.to_owned())
}

impl Disk {
    /// Goes from a mapped device down to what it lies on, as long as that is one thing.
    fn look_below(&mut self, tree: &Tree) {
        // More layers than anybody stacks; a made tree could hold a ring.
        for _ in 0..8 {
            let level = tree.text(&format!("{}/md/level", self.place));
            let mapped = tree.text(&format!("{}/dm/uuid", self.place));
            let mapped = mapped.map(|uuid| match uuid.split('-').next() {
                Some("LVM") => "LVM".to_owned(),
                Some("CRYPT") => "LUKS".to_owned(),
                _ => "dm".to_owned(),
            });
            self.layers.extend(level.or(mapped));
            let below = tree.names(&format!("{}/slaves", self.place), "");
            let [one] = below.as_slice() else {
                return;
            };
            let Some(mut place) = tree.followed(&format!("{}/slaves/{one}", self.place)) else {
                return;
            };
            if tree.has(&format!("{place}/partition")) {
                let Some(above) = parent(&place) else {
                    return;
                };
                place = above;
            }
            self.place = place;
        }
    }

    fn name(&self) -> &str {
        self.place.rsplit('/').next().unwrap_or_default()
    }

    /// What it is: model, kind, size, and what lies on it.
    fn words(&self, tree: &Tree) -> Option<String> {
        let name = self.name();
        let model = tree.text(&format!("{}/device/model", self.place));
        let is_virtual = ["vd", "xvd", "zram", "loop", "ram", "dm-", "md", "nbd"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        // What a virtual disk says of turning means nothing.
        let rotates = tree.text(&format!("{}/queue/rotational", self.place));
        let kind = match rotates.as_deref() {
            _ if is_virtual => None,
            Some("0") if name.starts_with("nvme") => Some("NVMe"),
            Some("0") => Some("SSD"),
            Some("1") => Some("HDD"),
            _ => None,
        };
        let driver = [
            "vd:virtio",
            "xvd:Xen",
            "zram:zram",
            "loop:loop",
            "nbd:nbd",
            "mmcblk:MMC",
        ]
        .iter()
        .filter_map(|pair| pair.split_once(':'))
        .find(|(prefix, _)| name.starts_with(prefix))
        .map(|(_, driver)| driver.to_owned());
        let size = tree.number(&format!("{}/size", self.place));
        // The kernel counts sectors of 512 bytes, whatever those of the disk are.
        let size = size
            .filter(|sectors| *sectors > 0.0)
            .map(|sectors| amount(sectors * 512.0, 1000.0, DECIMAL));
        let mut parts: Vec<String> = Vec::new();
        parts.extend(model.or(driver));
        parts.extend(kind.map(str::to_owned));
        parts.extend(size);
        parts.extend(self.layers.iter().cloned());
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// The scheduler in use: that in brackets.
    fn scheduler(&self, tree: &Tree) -> Option<String> {
        chosen(&tree.text(&format!("{}/queue/scheduler", self.place))?)
    }
}

/// The one of several words that stands in brackets, or the only one.
pub(super) fn chosen(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let marked = words.clone().find_map(|word| {
        let word = word.strip_prefix('[')?;
        word.strip_suffix(']')
    });
    let only = words.next().filter(|_| words.next().is_none());
    marked.or(only).map(str::to_owned)
}

/// What can be done in a folder, or in the nearest above it that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How many bytes this user may still write; `None` where that can't be told.
    pub free: Option<u64>,
    /// Whether this user may write there.
    pub is_writable: bool,
}

/// What can be done in a folder.
pub fn room(folder: &Path) -> Room {
    let whole = whole(folder);
    let there = whole.ancestors().find(|path| path.exists());
    let there = there.unwrap_or(Path::new("/"));
    #[cfg(unix)]
    {
        let state = rustix::fs::statvfs(there).ok();
        Room {
            free: state.map(|state| state.f_bavail.saturating_mul(state.f_frsize)),
            is_writable: rustix::fs::access(there, rustix::fs::Access::WRITE_OK).is_ok(),
        }
    }
    #[cfg(not(unix))]
    {
        let state = there.metadata();
        Room {
            free: None,
            is_writable: state.is_ok_and(|state| !state.permissions().readonly()),
        }
    }
}
