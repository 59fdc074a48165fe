//! Tests of the probe on made machines, and once on the real one.
#![cfg(unix)]

use super::super::made::Made;
use super::*;

fn facts(made: &Made) -> Vec<(String, String)> {
    environment(made.root(), made.root())
        .into_iter()
        .map(|(key, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (key, text)
        })
        .collect()
}

fn same(found: &[(String, String)], expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(key, it)| (key.as_str(), it.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_laptop_is_described() {
    same(
        &facts(&Made::laptop()),
        &[
            ("machine", "LENOVO ThinkPad X1 Carbon Gen 9"),
            ("virtualization", "none"),
            ("container", "none"),
            ("cpu", "11th Gen Intel Core i7-1165G7 @ 2.80GHz"),
            ("cpu_count", "8"),
            ("cpu_cores", "4"),
            ("numa_nodes", "1"),
            ("cpu_limit", "unavailable"),
            ("cpu_driver", "intel_pstate"),
            ("cpu_governor", "powersave"),
            ("energy_preference", "balance_power"),
            ("platform_profile", "unavailable"),
            ("cpu_frequency", "400–4700 MHz"),
            ("boost", "on"),
            ("smt", "on"),
            ("mitigations", "auto"),
            ("memory", "15.5 GiB"),
            ("memory_limit", "unavailable"),
            ("swap", "2 GiB"),
            ("huge_pages", "madvise"),
            ("disk", "Samsung SSD 980 PRO 1TB, NVMe, 1 TB"),
            ("disk_scheduler", "none"),
            ("disk_cache", "write back"),
            ("filesystem", "ext4"),
            ("mount_options", "rw,relatime,errors=remount-ro"),
            ("os", "Debian GNU/Linux 12 (bookworm)"),
            (
                "kernel",
                &format!("Linux 6.1.0-18-amd64 {}", facts::ARCHITECTURE),
            ),
            ("clock_source", "tsc"),
            ("power_source", "battery"),
            ("load", "0.4"),
        ],
    );
}

fn fact(made: &Made, key: &str) -> String {
    let facts = facts(made);
    let found = facts.iter().find(|(it, _)| it == key);
    found.map(|(_, value)| value.clone()).expect("a fact")
}

#[test]
fn a_server_is_described() {
    let made = Made::amd();
    for (key, value) in [
        ("cpu", "AMD Ryzen 9 5950X 16-Core Processor"),
        ("cpu_governor", "schedutil"),
        ("energy_preference", "unavailable"),
        ("platform_profile", "balanced"),
        ("boost", "on"),
        ("smt", "off"),
        ("disk", "ST4000DM004-2CV1, HDD, 4 TB"),
        (
            "mount_options",
            "rw,noatime,attr2,inode64,logbufs=8,noquota",
        ),
        ("virtualization", "none"),
        ("machine", "unavailable"),
        ("power_source", "unavailable"),
    ] {
        assert_eq!(fact(&made, key), value, "{key}");
    }
    let policy = "sys/devices/system/cpu/cpufreq/policy2/scaling_governor";
    made.file(policy, "performance\n");
    assert_eq!(fact(&made, "cpu_governor"), "schedutil, performance");
}

#[test]
fn a_virtual_machine_is_described() {
    let made = Made::virtual_machine();
    for (key, value) in [
        ("virtualization", "hypervisor"),
        ("cpu_governor", "unavailable"),
        ("cpu_frequency", "unavailable"),
        ("boost", "unavailable"),
        ("disk", "virtio, 268.4 GB"),
        ("mount_options", "rw,relatime,discard"),
    ] {
        assert_eq!(fact(&made, key), value, "{key}");
    }
    made.file("sys/class/dmi/id/sys_vendor", "QEMU\n").file(
        "sys/class/dmi/id/product_name",
        "Standard PC (Q35 + ICH9, 2009)\n",
    );
    assert_eq!(fact(&made, "virtualization"), "QEMU");
    made.file("sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
        .file("sys/class/dmi/id/product_name", "m5.large\n");
    assert_eq!(fact(&made, "virtualization"), "Amazon EC2");
    assert_eq!(fact(&made, "machine"), "Amazon EC2 m5.large");
}

#[test]
fn limits_of_containers_are_told() {
    let made = Made::virtual_machine();
    made.file("sys/fs/cgroup/cpu.max", "150000 100000\n")
        .file("sys/fs/cgroup/memory.max", "536870912\n")
        .file(".dockerenv", "");
    assert_eq!(fact(&made, "cpu_limit"), "1.5");
    assert_eq!(fact(&made, "memory_limit"), "512 MiB");
    assert_eq!(fact(&made, "container"), "docker");
    made.file("sys/fs/cgroup/cpu.max", "max 100000\n")
        .file("sys/fs/cgroup/memory.max", "max\n")
        .without(".dockerenv")
        .file("proc/self/cgroup", "0::/kubepods.slice/pod12/abc\n");
    assert_eq!(fact(&made, "cpu_limit"), "none");
    assert_eq!(fact(&made, "memory_limit"), "none");
    assert_eq!(fact(&made, "container"), "kubernetes");
}

#[test]
fn layers_between_file_system_and_disk_are_told() {
    let made = Made::laptop();
    let disk = "sys/devices/pci0000:00/0000:00:06.0/nvme/nvme0/nvme0n1";
    made.file("sys/devices/virtual/block/dm-1/dm/uuid", "LVM-abcdef\n")
        .link("sys/devices/virtual/block/dm-1/slaves/dm-0", "../../dm-0")
        .file(
            "sys/devices/virtual/block/dm-0/dm/uuid",
            "CRYPT-LUKS2-0123\n",
        )
        .link(
            "sys/devices/virtual/block/dm-0/slaves/nvme0n1p2",
            &format!("../../../../../{}/nvme0n1p2", &disk[4..]),
        )
        .link("sys/dev/block/253:1", "../../devices/virtual/block/dm-1")
        .file(
            "proc/self/mountinfo",
            "22 1 253:1 / / rw,relatime - ext4 /dev/mapper/vg-root rw\n",
        );
    assert_eq!(
        fact(&made, "disk"),
        "Samsung SSD 980 PRO 1TB, NVMe, 1 TB, LVM, LUKS"
    );
    // A file system with a number of its own, found by its source.
    made.link("dev/mapper/vg-root", "../dm-1")
        .file("dev/dm-1", "")
        .link("sys/class/block/dm-1", "../../devices/virtual/block/dm-1")
        .file(
            "proc/self/mountinfo",
            "22 1 0:31 /@ / rw,compress=zstd:3,subvol=/@home-of-ann - btrfs /dev/mapper/vg-root rw,subvolid=256\n",
        );
    assert_eq!(
        fact(&made, "disk"),
        "Samsung SSD 980 PRO 1TB, NVMe, 1 TB, LVM, LUKS"
    );
    assert_eq!(fact(&made, "mount_options"), "rw,compress=zstd:3");
}

#[test]
fn nobody_is_named() {
    let made = Made::laptop();
    made.file(
        "proc/self/mountinfo",
        "22 1 0:50 / / rw,relatime,username=ann,uid=1000 - cifs //anns-machine/ann \
         rw,vers=3.1.1,addr=192.168.7.7,domain=HOME,lowerdir=/home/ann,password=hunter2\n",
    );
    let all = serde_json::to_string(&environment(made.root(), made.root())).expect("text");
    for secret in [
        "ann",
        "1000",
        "192.168",
        "HOME",
        "hunter2",
        "SERIAL",
        "SECRET",
        "4711",
        "UUID",
        "1234-ABCD",
    ] {
        assert!(!all.contains(secret), "{secret} in {all}");
    }
    assert!(all.contains("cifs"), "{all}");
    assert!(all.contains("rw,relatime,vers=3.1.1"), "{all}");
}

#[test]
fn the_nearest_mount_counts() {
    let made = Made::empty();
    let real = made.root().canonicalize().expect("a path");
    let real = real.to_str().expect("a path").replace(' ', "\\040");
    made.file(
        "proc/self/mountinfo",
        &format!(
            "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:1 / {real}/data rw - xfs a rw\n\
             24 23 0:2 / {real}/data rw - tmpfs b rw\n25 22 0:3 / {real}/data-other rw - zfs c rw\n"
        ),
    );
    let kind = |folder: &str| {
        let facts = environment(made.root(), &made.path(folder));
        let found = facts.into_iter().find(|(key, _)| key == "filesystem");
        found.map(|(_, value)| value).expect("a fact")
    };
    assert_eq!(kind("data/not/there/yet"), "tmpfs");
    assert_eq!(kind("data-other"), "zfs");
    assert_eq!(kind("database"), "ext4");
}

#[test]
fn what_can_not_be_read_is_unavailable() {
    for (key, value) in facts(&Made::empty()) {
        assert_eq!(value, "unavailable", "{key}");
    }
}

#[test]
fn garbage_is_no_fact() {
    let made = Made::laptop();
    for (path, _) in made.state() {
        std::fs::write(path, b"\x00\xff\x1b[2J\x00").expect("a file");
    }
    for path in [
        "proc/cpuinfo",
        "proc/meminfo",
        "proc/loadavg",
        "proc/self/mountinfo",
        "proc/stat",
        "proc/cmdline",
        "proc/sys/kernel/osrelease",
        "etc/os-release",
        "proc/pressure/cpu",
    ] {
        made.file(
            path,
            ":\n: :\n - \n\u{1b}[2J - -\ncpu \nMemTotal: -1 kB\nsome avg10=\n0-99999999999\n",
        );
    }
    for (key, value) in facts(&made) {
        assert!(!value.chars().any(char::is_control), "{key}: {value:?}");
    }
    noise(made.root());
    // Folders where files should be, and lists that count down.
    let made = Made::empty();
    made.file("proc/cpuinfo/x", "")
        .file("sys/devices/system/cpu/online", "7-0\n")
        .file(
            "sys/devices/system/cpu/cpufreq/policy0/scaling_governor/x",
            "",
        );
    for (key, value) in facts(&made) {
        assert_eq!(value, "unavailable", "{key}");
    }
}

#[test]
fn installed_memory_is_rounded() {
    let made = Made::empty();
    for (told, shown) in [
        (24_684_092_u64, "24 GiB"),
        (65_763_924, "64 GiB"),
        (527_950_080, "512 GiB"),
        (1_000_448, "992 MiB"),
        (2_113_500_000, "2 TiB"),
        (4_025_120, "3.9 GiB"),
    ] {
        made.file(
            "proc/meminfo",
            &format!("MemTotal:  {told} kB\nSwapTotal: 0 kB\n"),
        );
        assert_eq!(fact(&made, "memory"), shown, "{told}");
    }
    assert_eq!(fact(&made, "swap"), "none");
}

#[test]
fn the_real_machine_is_described() {
    let root = Path::new("/");
    let here = std::env::current_dir().expect("a folder");
    let facts = environment(root, &here);
    let keys: Vec<&String> = facts.iter().map(|(key, _)| key).collect();
    let again = environment(root, &here);
    assert_eq!(keys, again.iter().map(|(key, _)| key).collect::<Vec<_>>());
    if cfg!(target_os = "linux") {
        let count = facts.iter().find(|(key, _)| key == "cpu_count");
        assert!(
            count.is_some_and(|(_, count)| count.as_u64() >= Some(1)),
            "{facts:?}"
        );
    }
    assert!(!noise(root).is_empty());
    assert_eq!(clock_cost().key, "clock_cost");
    if cfg!(unix) {
        let folder = tempfile::tempdir().expect("a folder");
        let room = room(&folder.path().join("not there"));
        assert!(room.is_writable && room.free.is_some(), "{room:?}");
        // The name that is taken out of texts is in none of the facts.
        let name = host_name().expect("a name");
        if name.len() > 5 && name != "localhost" {
            let all = format!("{facts:?}");
            assert!(!all.contains(&name), "{name} in {all}");
        }
    }
}

#[test]
fn every_fact_has_a_name_in_every_language() {
    for language in ["en", "de", "ru", "vi"] {
        let path = format!(
            "{}/templates/locale/{language}.toml",
            env!("CARGO_MANIFEST_DIR")
        );
        let catalog = std::fs::read_to_string(path).expect("a catalog");
        for (key, _) in environment(Path::new("/"), Path::new("/")) {
            let entry = format!("\nfact-{key} = \"");
            assert!(catalog.contains(&entry), "{language}: {key}");
        }
        for word in [UNAVAILABLE, NONE, ON, OFF, "mains", "battery", "hypervisor"] {
            let entry = format!("\nfact-value-{word} = \"");
            assert!(catalog.contains(&entry), "{language}: {word}");
        }
    }
}

// ---- noise -------------------------------------------------------------------------------------

fn guard(made: &Made, key: &str) -> (State, String) {
    let guard = noise(made.root())
        .into_iter()
        .find(|it| it.key == key)
        .expect("a guard");
    assert_eq!(
        guard.advice.is_empty(),
        guard.state != State::Bad,
        "{guard:?}"
    );
    (guard.state, guard.says)
}

#[test]
fn a_quiet_machine_is_good() {
    let made = Made::laptop();
    made.file("sys/class/power_supply/AC/online", "1\n");
    for cpu in 0..8 {
        let folder = format!("sys/devices/system/cpu/cpufreq/policy{cpu}");
        made.file(
            &format!("{folder}/energy_performance_preference"),
            "performance\n",
        );
    }
    for guard in noise(made.root()) {
        assert_eq!(guard.state, State::Good, "{guard:?}");
    }
}

#[test]
fn noise_is_noticed() {
    let made = Made::laptop();
    assert_eq!(guard(&made, "power_source").0, State::Bad);
    assert_eq!(guard(&made, "governor").0, State::Bad);
    made.file("proc/loadavg", "2.50 1 1 1/1 1\n")
        .file(
            "proc/pressure/io",
            "some avg10=63.70 avg60=1 avg300=1 total=1\n",
        )
        .file("proc/stat", "cpu  100 0 50 800 40 0 10 20 0 0\n")
        .file(
            "proc/meminfo",
            "SwapTotal: 2097148 kB\nSwapFree: 1000000 kB\n",
        )
        .file(
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            "hpet\n",
        )
        .file("sys/devices/system/cpu/online", "0-1\n");
    for key in ["load", "pressure_io", "steal", "swap", "clock", "cores"] {
        assert_eq!(guard(&made, key).0, State::Bad, "{key}");
    }
    assert_eq!(guard(&made, "pressure_cpu").0, State::Good);
    let says = "Since the start, 1.96 % of the processors' time was taken by the host.";
    assert_eq!(guard(&made, "steal").1, says);
    assert_eq!(guard(&made, "swap").1, "1071 MiB are swapped out.");
}

#[test]
fn what_can_not_be_seen_is_no_alarm() {
    for guard in noise(Made::empty().root()) {
        assert_eq!(guard.state, State::Unknown, "{guard:?}");
    }
}
