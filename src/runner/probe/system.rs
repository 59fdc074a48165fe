//! The machine as a whole, its memory, its software, and how busy it is.

use super::super::tree::Tree;
use super::facts::{ARCHITECTURE, BINARY, Facts, NONE, amount};
use super::processor;
use super::storage::chosen;

const DMI: &str = "sys/class/dmi/id";

/// What firmware says where its maker forgot to fill it in.
const BLANKS: [&str; 10] = [
    "default string",
    "none",
    "not applicable",
    "not specified",
    "o.e.m.",
    "oem",
    "system manufacturer",
    "system product name",
    "to be filled by o.e.m.",
    "unknown",
];

pub(super) fn machine(tree: &Tree, facts: &mut Facts) {
    facts.text("machine", model(tree));
    let info = tree.text("proc/cpuinfo").unwrap_or_default();
    facts.text("virtualization", virtualization(tree, &info));
    facts.text("container", container(tree));
}

fn dmi(tree: &Tree, file: &str) -> Option<String> {
    let text = tree.text(&format!("{DMI}/{file}"))?;
    (!BLANKS.contains(&text.to_lowercase().as_str())).then_some(text)
}

/// Maker and model. Serial numbers and asset tags stand in other files, which are never read.
fn model(tree: &Tree) -> Option<String> {
    let vendor = dmi(tree, "sys_vendor");
    // One maker keeps the name by which people know a model elsewhere.
    let version = dmi(tree, "product_version").filter(|_| vendor.as_deref() == Some("LENOVO"));
    let product = version.or_else(|| dmi(tree, "product_name"));
    match (vendor, product) {
        (Some(vendor), Some(product)) if product.starts_with(&vendor) => Some(product),
        (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
        (vendor, product) => vendor
            .or(product)
            .or_else(|| tree.text("proc/device-tree/model")),
    }
}

/// The machine's name in its network, only to be taken out of texts.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    {
        let name = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        (!name.is_empty()).then_some(name)
    }
    #[cfg(not(unix))]
    None
}

/// What runs the machine, if it is a virtual one.
fn virtualization(tree: &Tree, info: &str) -> Option<String> {
    // Word in the firmware's maker or product, and whose that is.
    const KNOWN: [(&str, &str); 15] = [
        ("vmware", "VMware"),
        ("virtualbox", "VirtualBox"),
        ("innotek", "VirtualBox"),
        ("parallels", "Parallels"),
        ("xen", "Xen"),
        ("bhyve", "bhyve"),
        ("amazon ec2", "Amazon EC2"),
        ("google compute engine", "Google Compute Engine"),
        ("openstack", "OpenStack"),
        ("digitalocean", "DigitalOcean"),
        ("hetzner", "Hetzner"),
        ("virtual machine", "Hyper-V"),
        ("apple virtualization", "Apple Virtualization"),
        ("kvm", "KVM"),
        ("qemu", "QEMU"),
    ];
    let product = dmi(tree, "product_name").unwrap_or_default();
    let words = format!("{} {product}", dmi(tree, "sys_vendor").unwrap_or_default());
    let words = words.to_lowercase();
    let named = KNOWN.iter().find(|(word, _)| words.contains(word));
    let flag = processor::is_virtual(info);
    let hypervisor = tree.text("sys/hypervisor/type");
    match (flag, named) {
        // A bare-metal instance has its provider's firmware too.
        (Some(false), _) if hypervisor.is_none() => Some(NONE.to_owned()),
        (_, Some((_, name))) => Some((*name).to_owned()),
        _ if hypervisor.is_some() => hypervisor,
        (Some(true), None) => Some("hypervisor".to_owned()),
        _ => None,
    }
}

/// What kind of container it runs in.
fn container(tree: &Tree) -> Option<String> {
    // It tells nobody's name: `docker`, `podman`, `lxc`, `systemd-nspawn`.
    if let Some(kind) = tree.text("run/systemd/container")
        && kind.len() < 30
    {
        return Some(kind);
    }
    for (mark, kind) in [(".dockerenv", "docker"), ("run/.containerenv", "podman")] {
        if tree.has(mark) {
            return Some(kind.to_owned());
        }
    }
    let groups = tree.text("proc/self/cgroup")?;
    let known = ["kubepods", "docker", "lxc", "containerd"];
    let found = known.iter().find(|word| groups.contains(*word));
    let kind = found.map_or(NONE, |word| {
        if *word == "kubepods" {
            "kubernetes"
        } else {
            word
        }
    });
    Some(kind.to_owned())
}

/// A line of `/proc/meminfo`, in bytes.
pub(in super::super) fn meminfo(text: &str, key: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name == key).then_some(value)
    })?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

pub(super) fn memory(tree: &Tree, facts: &mut Facts) {
    let info = tree.text("proc/meminfo").unwrap_or_default();
    let installed = meminfo(&info, "MemTotal").map(installed);
    let shown = |bytes: f64| amount(bytes, 1024.0, BINARY);
    facts.text("memory", installed.map(shown));
    facts.text(
        "memory_limit",
        limit(tree).map(|it| it.map_or(NONE.into(), shown)),
    );
    let swap = meminfo(&info, "SwapTotal");
    let swap = swap.map(|bytes| {
        if bytes > 0.0 {
            shown(bytes)
        } else {
            NONE.to_owned()
        }
    });
    facts.text("swap", swap);
    let pages = tree.text("sys/kernel/mm/transparent_hugepage/enabled");
    facts.text("huge_pages", pages.and_then(|text| chosen(&text)));
}

/// The memory that is built in. Kernels keep some of it from what they tell, more in larger machines, so
/// it is rounded up to the next sixteenth of the power of two below it.
fn installed(told: f64) -> f64 {
    if told <= 0.0 {
        return told;
    }
    let step = told.log2().floor().exp2() / 16.0;
    (told / step).ceil() * step
}

/// How much memory a container may use; inner nothing for as much as there is.
fn limit(tree: &Tree) -> Option<Option<f64>> {
    let told = tree.text("sys/fs/cgroup/memory.max");
    let told = told.or_else(|| tree.text("sys/fs/cgroup/memory/memory.limit_in_bytes"));
    let Some(told) = told else {
        return tree.has("sys/fs/cgroup").then_some(None);
    };
    if told == "max" {
        return Some(None);
    }
    let bytes: f64 = told.parse().ok()?;
    // The first version of control groups tells a number near the largest for no limit.
    Some((bytes < 1e18).then_some(bytes))
}

pub(super) fn software(tree: &Tree, facts: &mut Facts) {
    facts.text("os", distribution(tree));
    let release = tree.text("proc/sys/kernel/osrelease");
    let kernel = release.map(|release| format!("Linux {release} {ARCHITECTURE}"));
    facts.text("kernel", kernel);
    let source = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    facts.text("clock_source", tree.text(source));
}

fn distribution(tree: &Tree) -> Option<String> {
    let text = tree.text("etc/os-release");
    let text = text.or_else(|| tree.text("usr/lib/os-release"))?;
    let value = |key: &str| {
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        let value = value.trim().trim_matches(['"', '\'']);
        (!value.is_empty()).then(|| value.to_owned())
    };
    value("PRETTY_NAME").or_else(|| value("NAME"))
}

pub(super) fn state(tree: &Tree, facts: &mut Facts) {
    facts.text("power_source", power_source(tree));
    let load = load(tree).map(|load| (load * 10.0).round() / 10.0);
    facts.number("load", load);
}

/// How many processes wanted a processor, on average of the last minute.
pub(super) fn load(tree: &Tree) -> Option<f64> {
    let text = tree.text("proc/loadavg")?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    load.is_finite().then_some(load)
}

/// Whether the machine runs on its battery; nothing is known where there is none.
pub(super) fn power_source(tree: &Tree) -> Option<String> {
    const FOLDER: &str = "sys/class/power_supply";
    let mut has_battery = false;
    for name in tree.names(FOLDER, "") {
        let kind = tree.text(&format!("{FOLDER}/{name}/type"));
        match kind.as_deref() {
            // Those of mice and keyboards say so.
            Some("Battery") => {
                let scope = tree.text(&format!("{FOLDER}/{name}/scope"));
                has_battery |= scope.as_deref() != Some("Device");
            }
            Some(_) => {
                let online = tree.text(&format!("{FOLDER}/{name}/online"));
                if online.is_some_and(|online| online != "0") {
                    return Some("mains".to_owned());
                }
            }
            None => {}
        }
    }
    has_battery.then(|| "battery".to_owned())
}
