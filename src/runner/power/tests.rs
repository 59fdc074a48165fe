//! Tests of power plans on made machines, and once on the real one.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use super::super::made::Made;
use super::*;
use crate::model::MissingReason;

const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy3/scaling_governor";
const ENERGY: &str = "sys/devices/system/cpu/cpufreq/policy3/energy_performance_preference";
const PROFILE: &str = "sys/firmware/acpi/platform_profile";

fn keeper(made: &Made) -> Keeper {
    Keeper::open(made.root(), &made.path("power.json"))
}

fn unsupported(outcome: Result<String, Fault>, says: &str) {
    let fault = outcome.expect_err("a fault");
    assert_eq!(fault.reason, MissingReason::Unsupported, "{fault}");
    assert!(fault.message.contains(says), "{fault}");
}

#[test]
fn a_plan_is_set_and_put_back() {
    let made = Made::laptop();
    let before = made.state();
    let mut keeper = keeper(&made);
    assert_eq!(keeper.recovered, None);
    assert_eq!(
        keeper.read(),
        Ok("governor=powersave,energy=balance_power".into())
    );
    assert_eq!(
        keeper.set("energy=power , governor=powersave"),
        Ok("governor=powersave,energy=power".into())
    );
    assert_eq!(made.text(ENERGY), "power");
    assert_eq!(keeper.verify(), Ok(()));
    assert!(made.path("power.json").exists());

    // What another case had set doesn't stay.
    assert_eq!(
        keeper.set("governor=performance"),
        Ok("governor=performance".into())
    );
    assert_eq!(made.text(GOVERNOR), "performance");
    assert_eq!(made.text(ENERGY), "balance_power");

    assert_eq!(keeper.restore(), Ok(()));
    assert_eq!(made.state(), before);
    assert!(!made.path("power.json").exists());
    assert_eq!(keeper.verify(), Ok(()));
}

#[test]
fn neutral_words_mean_what_is_there() {
    let laptop = Made::laptop();
    let mut on_laptop = keeper(&laptop);
    for (word, effective) in [
        ("powersave", "governor=powersave,energy=power"),
        ("balanced", "governor=powersave,energy=balance_performance"),
        ("performance", "governor=powersave,energy=performance"),
    ] {
        assert_eq!(on_laptop.set(word), Ok(effective.into()));
    }
    let amd = Made::amd();
    assert_eq!(
        keeper(&amd).set("powersave"),
        Ok("profile=low-power".into())
    );
    amd.without(PROFILE);
    let mut on_amd = keeper(&amd);
    for (word, effective) in [
        ("powersave", "governor=powersave"),
        ("balanced", "governor=schedutil"),
        ("performance", "governor=performance"),
    ] {
        assert_eq!(on_amd.set(word), Ok(effective.into()));
    }
}

#[test]
fn a_keeper_that_goes_away_puts_the_plan_back() {
    let made = Made::amd();
    let before = made.state();
    let outcome = std::panic::catch_unwind(|| {
        let mut keeper = keeper(&made);
        keeper
            .set("governor=performance,profile=performance")
            .expect("set");
        assert_eq!(made.text(PROFILE), "performance");
        assert_eq!(made.text(GOVERNOR), "performance");
        std::panic::resume_unwind(Box::new("on the way"));
    });
    assert!(outcome.is_err());
    assert_eq!(made.state(), before);
    assert!(!made.path("power.json").exists());
}

#[test]
fn a_killed_run_is_made_up_for() {
    let made = Made::laptop();
    let before = made.state();
    let mut killed = keeper(&made);
    killed.set("governor=performance").expect("set");
    killed.set("energy=power").expect("set");
    std::mem::forget(killed);
    assert_ne!(made.state(), before);

    let next = keeper(&made);
    let effective = "governor=powersave,energy=balance_power";
    assert_eq!(next.recovered, Some(Ok(effective.into())));
    assert_eq!(made.state(), before);
    assert!(!made.path("power.json").exists());
}

#[test]
fn a_file_from_anybody_changes_nothing_but_power_plans() {
    let made = Made::laptop();
    made.file("etc/passwd", "mine");
    let before = made.state();
    made.file(
        "power.json",
        r#"{"note": "", "values": [["etc/passwd", "yours"], ["../etc/passwd", "yours"],
        ["sys/devices/system/cpu/cpufreq/policy3/scaling_governor", "anything"],
        ["sys/devices/system/cpu/intel_pstate/no_turbo", "1"]]}"#,
    );
    let keeper = keeper(&made);
    assert!(matches!(keeper.recovered, Some(Ok(_))));
    assert_eq!(made.text("etc/passwd"), "mine");
    assert_eq!(made.state(), before);
}

#[test]
fn nothing_is_changed_while_an_earlier_plan_is_lost() {
    let made = Made::laptop();
    let before = made.state();
    made.file("power.json", "{\"note\": \"half a fi");
    {
        let mut keeper = keeper(&made);
        let fault = keeper.set("governor=performance").expect_err("a fault");
        assert!(fault.message.contains("power.json"), "{fault}");
        assert_eq!(keeper.restore(), Ok(()));
    }
    assert_eq!(made.state(), before);
    assert!(made.path("power.json").exists());
}

#[test]
fn nothing_is_changed_that_can_not_be_remembered() {
    let made = Made::laptop();
    let before = made.state();
    let mut keeper = Keeper::open(made.root(), &made.path("no/such/folder/power.json"));
    let fault = keeper.set("governor=performance").expect_err("a fault");
    assert_eq!(fault.reason, MissingReason::Failed);
    assert_eq!(made.state(), before);
    // What is in effect already needs no memory.
    assert_eq!(
        keeper.set("governor=powersave"),
        Ok("governor=powersave".into())
    );
}

#[test]
fn what_is_not_there_is_unsupported() {
    let made = Made::virtual_machine();
    let mut on_virtual = keeper(&made);
    for wish in ["performance", "governor=performance", "energy=power"] {
        unsupported(on_virtual.set(wish), "offers no power plan");
    }
    unsupported(on_virtual.read(), "offers no power plan");
    assert_eq!(on_virtual.restore(), Ok(()));

    let made = Made::amd();
    let mut on_amd = keeper(&made);
    unsupported(on_amd.set("energy=power"), "has no energy preference");
    unsupported(on_amd.set("governor=turbo"), "`schedutil`");
    unsupported(on_amd.set("profile=quiet"), "`low-power`, `balanced`");
    unsupported(on_amd.set("fast"), "is no power plan on Linux");
    unsupported(on_amd.set(""), "is no power plan on Linux");
    unsupported(
        on_amd.set("governor=performance,governor=powersave"),
        "twice",
    );
    unsupported(on_amd.set("speed=performance"), "is no power plan on Linux");
    unsupported(on_amd.set("governor=../../x"), "isn't offered");
    assert!(!made.path("power.json").exists());
}

#[test]
fn a_profile_that_can_not_be_chosen_again_stays() {
    let made = Made::amd();
    made.file(PROFILE, "custom\n");
    let mut keeper = keeper(&made);
    unsupported(keeper.set("profile=performance"), "could not be put back");
    assert_eq!(
        keeper.set("governor=performance"),
        Ok("governor=performance".into())
    );
    assert_eq!(keeper.restore(), Ok(()));
    assert_eq!(made.text(PROFILE), "custom");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_not_permitted_is_unsupported() {
    // A file that not even the administrator may write.
    const LOCKED: &str = "/sys/devices/system/cpu/online";
    let now = fs::read_to_string(LOCKED).expect("a file");
    let now = now.trim();
    let made = Made::amd();
    made.without(GOVERNOR).link(GOVERNOR, LOCKED).file(
        "sys/devices/system/cpu/cpufreq/policy3/scaling_available_governors",
        &format!("performance schedutil {now}\n"),
    );
    let before = made.state();
    let mut keeper = keeper(&made);
    unsupported(keeper.set("governor=performance"), "can't be changed");
    assert_eq!(made.state(), before);
    assert!(!made.path("power.json").exists());
    // The rest may be changed.
    assert_eq!(
        keeper.set("profile=performance"),
        Ok("profile=performance".into())
    );
    let offer = offer(made.root());
    assert!(
        offer.words.iter().all(|(_, check)| check.is_ok()),
        "{offer:?}"
    );
    made.without(PROFILE);
    let offer = super::offer(made.root());
    assert!(
        offer.words.iter().all(|(_, check)| check.is_err()),
        "{offer:?}"
    );
}

#[test]
fn a_value_that_does_not_take_effect_is_a_fault() {
    let made = Made::laptop();
    let mut keeper = keeper(&made);
    // It swallows everything and tells nothing.
    made.without(ENERGY).link(ENERGY, "/dev/null");
    let fault = keeper.set("energy=power").expect_err("a fault");
    assert_eq!(fault.reason, MissingReason::Failed, "{fault}");
    let says = "`energy=power` was asked for, but `energy=power/unreadable` is in effect";
    assert!(fault.message.contains(says), "{fault}");
    assert_eq!(keeper.restore(), Ok(()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_refused_preference_is_explained() {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;

    // As the kernel does it while the governor is `performance`: it may be opened, but not changed.
    let sealed = memfd_create("preference", MemfdFlags::ALLOW_SEALING).expect("a file");
    let mut sealed = fs::File::from(sealed);
    sealed.write_all(b"performance").expect("written");
    fcntl_add_seals(&sealed, SealFlags::WRITE | SealFlags::SHRINK).expect("sealed");

    let made = Made::laptop();
    for cpu in 0..8 {
        let folder = format!("sys/devices/system/cpu/cpufreq/policy{cpu}");
        made.file(&format!("{folder}/scaling_governor"), "performance\n");
    }
    let target = format!("/proc/self/fd/{}", sealed.as_raw_fd());
    made.without(ENERGY).link(ENERGY, &target);
    let mut keeper = keeper(&made);
    let fault = keeper.set("energy=power").expect_err("a fault");
    assert_eq!(fault.reason, MissingReason::Failed, "{fault}");
    assert!(
        fault.message.contains("add `governor=powersave`"),
        "{fault}"
    );
    // What had been changed before that is put back, and the rest stands anyway.
    assert_eq!(keeper.restore(), Ok(()));
    assert!(!made.path("power.json").exists());
    assert_eq!(
        keeper.read(),
        Ok("governor=performance,energy=balance_power/performance".into())
    );
}

#[test]
fn a_change_by_others_is_seen() {
    let made = Made::amd();
    let before = made.state();
    let mut keeper = keeper(&made);
    keeper.set("profile=performance").expect("set");
    assert_eq!(keeper.verify(), Ok(()));
    made.file(PROFILE, "balanced\n");
    let fault = keeper.verify().expect_err("a fault");
    assert!(fault.message.contains("profile=balanced"), "{fault}");
    made.file(GOVERNOR, "powersave\n");
    assert_eq!(keeper.restore(), Ok(()));
    assert_eq!(made.state(), before);
}

#[test]
fn processors_that_differ_are_told() {
    let made = Made::amd();
    made.file(GOVERNOR, "performance\n");
    let keeper = keeper(&made);
    let read = keeper.read().expect("a plan");
    assert_eq!(read, "governor=schedutil/performance,profile=balanced");
}

#[test]
fn the_real_machine_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = Keeper::open(Path::new("/"), &folder.path().join("power.json"));
    match keeper.read() {
        Ok(plan) => assert!(!plan.is_empty()),
        Err(fault) => assert_eq!(fault.reason, MissingReason::Unsupported),
    }
    let offer = offer(Path::new("/"));
    assert_eq!(offer.words.len(), 3);
    assert_eq!(offer.now, keeper.read());
}
