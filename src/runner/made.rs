//! Machines made of files, for tests: what their kernels tell of them.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

/// A made machine; its files go with it.
pub(super) struct Made {
    folder: tempfile::TempDir,
}

const CPU: &str = "sys/devices/system/cpu";

impl Made {
    /// A machine whose kernel tells nothing.
    pub(super) fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub(super) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the test's own.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(super) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
        self
    }

    pub(super) fn text(&self, path: &str) -> String {
        let text = fs::read_to_string(self.path(path)).expect("a file");
        text.trim().to_owned()
    }

    /// Takes a file away, so that something else can stand there.
    pub(super) fn without(&self, path: &str) -> &Self {
        fs::remove_file(self.path(path)).expect("a file");
        self
    }

    /// A link, to a place in the machine or outside.
    pub(super) fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::os::unix::fs::symlink(target, path).expect("a link");
        self
    }

    /// Every file below `sys` with its text, to see what has changed.
    pub(super) fn state(&self) -> Vec<(PathBuf, String)> {
        let mut state = Vec::new();
        let mut folders = vec![self.path("sys")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_symlink() {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let text = fs::read_to_string(&path).expect("a file");
                    state.push((path, text.trim().to_owned()));
                }
            }
        }
        state.sort();
        state
    }

    /// A laptop with an Intel processor that chooses its frequency itself, and an NVMe disk.
    pub(super) fn laptop() -> Self {
        let made = Self::empty();
        made.cpuinfo("11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz", 8, 4, "");
        made.file(&format!("{CPU}/intel_pstate/status"), "active\n")
            .file(&format!("{CPU}/intel_pstate/no_turbo"), "0\n")
            .file(&format!("{CPU}/smt/active"), "1\n")
            .file(&format!("{CPU}/online"), "0-7\n")
            .file(
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always [madvise] never\n",
            )
            .file("sys/class/dmi/id/sys_vendor", "LENOVO\n")
            .file("sys/class/dmi/id/product_name", "20XW00ABCD\n")
            .file(
                "sys/class/dmi/id/product_version",
                "ThinkPad X1 Carbon Gen 9\n",
            )
            .file("sys/class/dmi/id/product_serial", "PF-SERIAL-1\n")
            .file("sys/class/power_supply/AC/type", "Mains\n")
            .file("sys/class/power_supply/AC/online", "0\n")
            .file("sys/class/power_supply/BAT0/type", "Battery\n")
            .file("sys/class/power_supply/BAT0/serial_number", "4711\n");
        for cpu in 0..8 {
            made.policy(
                cpu,
                "intel_pstate",
                "powersave",
                "performance powersave",
                1_200_000 + cpu * 100_000,
            );
            let folder = format!("{CPU}/cpufreq/policy{cpu}");
            made.file(
                &format!("{folder}/energy_performance_available_preferences"),
                "default performance balance_performance balance_power power \n",
            )
            .file(
                &format!("{folder}/energy_performance_preference"),
                "balance_power\n",
            );
        }
        made.general();
        made.disk(
            "nvme0n1",
            "devices/pci0000:00/0000:00:06.0/nvme/nvme0/nvme0n1",
            "259:0",
            2_000_409_264,
        );
        let disk = "sys/devices/pci0000:00/0000:00:06.0/nvme/nvme0/nvme0n1";
        made.file(
            &format!("{disk}/device/model"),
            "Samsung SSD 980 PRO 1TB  \n",
        )
        .file(&format!("{disk}/device/serial"), "S5GX-SECRET\n")
        .file(&format!("{disk}/queue/rotational"), "0\n")
        .file(
            &format!("{disk}/queue/scheduler"),
            "[none] mq-deadline kyber \n",
        )
        .file(&format!("{disk}/queue/write_cache"), "write back\n")
        .file(&format!("{disk}/nvme0n1p2/partition"), "2\n")
        .link(
            "sys/dev/block/259:2",
            &format!("../../{}/nvme0n1p2", &disk[4..]),
        )
        .file(
            "proc/self/mountinfo",
            "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro\n\
                 40 22 0:40 / /dev/shm rw,nosuid - tmpfs tmpfs rw,size=8g\n",
        );
        made
    }

    /// A server with an AMD processor whose firmware knows profiles, and no energy preference.
    pub(super) fn amd() -> Self {
        let made = Self::empty();
        made.cpuinfo("AMD Ryzen 9 5950X 16-Core Processor", 4, 4, "");
        made.file(&format!("{CPU}/cpufreq/boost"), "1\n")
            .file(&format!("{CPU}/smt/active"), "0\n")
            .file("sys/firmware/acpi/platform_profile", "balanced\n")
            .file(
                "sys/firmware/acpi/platform_profile_choices",
                "low-power balanced performance\n",
            );
        for cpu in 0..4 {
            made.policy(
                cpu,
                "acpi-cpufreq",
                "schedutil",
                "conservative ondemand userspace powersave performance schedutil",
                3_400_000,
            );
        }
        made.general();
        made.disk(
            "sda",
            "devices/pci0000:00/ata1/block/sda",
            "8:0",
            7_814_037_168,
        );
        made.file(
            "sys/devices/pci0000:00/ata1/block/sda/queue/rotational",
            "1\n",
        )
        .file(
            "sys/devices/pci0000:00/ata1/block/sda/device/model",
            "ST4000DM004-2CV1\n",
        )
        .file(
            "proc/self/mountinfo",
            "22 1 8:0 / / rw,noatime - xfs /dev/sda rw,attr2,inode64,logbufs=8,noquota\n",
        );
        made
    }

    /// A small virtual machine that offers none of it.
    pub(super) fn virtual_machine() -> Self {
        let made = Self::empty();
        made.cpuinfo("AMD EPYC", 2, 2, " hypervisor");
        made.file(&format!("{CPU}/smt/active"), "0\n");
        made.general();
        made.disk(
            "vda",
            "devices/pci0000:00/virtio1/block/vda",
            "254:0",
            524_288_000,
        );
        made.file(
            "sys/devices/pci0000:00/virtio1/block/vda/queue/rotational",
            "1\n",
        )
        .file(
            "proc/self/mountinfo",
            "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,resuid=65534\n",
        );
        made
    }

    fn cpuinfo(&self, model: &str, cpus: u32, cores: u32, flag: &str) {
        let mut text = String::new();
        for cpu in 0..cpus {
            let core = cpu % cores;
            text.push_str(&format!(
                "processor\t: {cpu}\nmodel name\t: {model}\ncpu MHz\t\t: 2800.{cpu:03}\nphysical id\t: 0\n\
                 core id\t\t: {core}\nflags\t\t: fpu vme{flag} sse\n\n"
            ));
        }
        self.file("proc/cpuinfo", &text);
    }

    fn policy(&self, cpu: u32, driver: &str, governor: &str, governors: &str, frequency: u32) {
        let folder = format!("{CPU}/cpufreq/policy{cpu}");
        self.file(&format!("{folder}/scaling_driver"), &format!("{driver}\n"))
            .file(
                &format!("{folder}/scaling_governor"),
                &format!("{governor}\n"),
            )
            .file(
                &format!("{folder}/scaling_available_governors"),
                &format!("{governors} \n"),
            )
            .file(&format!("{folder}/scaling_min_freq"), "400000\n")
            .file(&format!("{folder}/scaling_max_freq"), "4700000\n")
            .file(
                &format!("{folder}/scaling_cur_freq"),
                &format!("{frequency}\n"),
            );
    }

    /// What every kernel has.
    fn general(&self) {
        self.file(
            "proc/stat",
            "cpu  100 0 50 800 40 0 10 0 0 0\ncpu0 100 0 50 800 40 0 10 0 0 0\n",
        )
        .file(
            "proc/meminfo",
            "MemTotal:       16094432 kB\nMemFree:         1000000 kB\nMemAvailable:    8047216 kB\n\
             SwapTotal:       2097148 kB\nSwapFree:        2097148 kB\n",
        )
        .file("proc/self/cgroup", "0::/user.slice/session-1.scope\n")
        .file("proc/loadavg", "0.42 0.21 1.16 1/95 2533\n")
        .file("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
        .file("proc/sys/kernel/hostname", "anns-machine\n")
        .file(
            "proc/cmdline",
            "BOOT_IMAGE=/vmlinuz root=UUID=1234-ABCD ro quiet\n",
        )
        .file(
            "etc/os-release",
            "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
        )
        .file(
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            "tsc\n",
        )
        .file("sys/devices/system/node/node0/cpulist", "0-7\n")
        .file(
            "proc/pressure/cpu",
            "some avg10=1.00 avg60=0.23 avg300=1.44 total=5070048864\n",
        )
        .file(
            "proc/pressure/io",
            "some avg10=0.00 avg60=0.23 avg300=1.44 total=5070048864\n",
        );
    }

    /// A disk below `sys`, found by its number and its name.
    fn disk(&self, name: &str, place: &str, number: &str, sectors: u64) {
        self.file(&format!("sys/{place}/size"), &format!("{sectors}\n"))
            .file(&format!("sys/{place}/stat"), "1 0 100 0 1 0 200 0 0 0 0\n")
            .link(
                &format!("sys/dev/block/{number}"),
                &format!("../../{place}"),
            )
            .link(
                &format!("sys/class/block/{name}"),
                &format!("../../{place}"),
            );
    }
}
