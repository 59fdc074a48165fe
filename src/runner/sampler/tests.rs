//! Tests of the sampler and of what it reads of a machine.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::super::made::Made;
use super::*;

/// A watch that counts its readings, tells of each, and fails from one on.
struct Counting {
    series: &'static str,
    count: u32,
    fails: u32,
    told: Sender<u32>,
}

impl Watch for Counting {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        self.count += 1;
        let _ = self.told.send(self.count);
        if self.count >= self.fails {
            return Err(Fault::failed("the counter broke"));
        }
        out(self.series, f64::from(self.count));
        Ok(())
    }
}

fn counting(series: &'static str, fails: u32) -> (Box<dyn Watch>, Receiver<u32>) {
    let (told, hears) = channel();
    let watch = Counting {
        series,
        count: 0,
        fails,
        told,
    };
    (Box::new(watch), hears)
}

const SHORT: Duration = Duration::from_millis(1);
const NEVER: Duration = Duration::from_secs(1_000_000);

fn of<'a>(readings: &'a [(f64, &str, f64)], series: &'a str) -> impl Iterator<Item = f64> + 'a {
    readings
        .iter()
        .filter(move |(_, it, _)| *it == series)
        .map(|(_, _, value)| *value)
}

#[test]
fn readings_of_one_moment_share_it() {
    let (one, hears) = counting("busy_waits", u32::MAX);
    let (other, _keep) = counting("busy_share", u32::MAX);
    let origin = Instant::now();
    let mut sampler = Sampler::start(vec![one, other], SHORT, origin);
    while hears.recv().expect("a reading") < 5 {}
    let readings = sampler.finish();
    assert!(sampler.notes().is_empty(), "{:?}", sampler.notes());
    let firsts: Vec<f64> = of(&readings, "busy_waits").collect();
    let seconds: Vec<f64> = of(&readings, "busy_share").collect();
    assert!(firsts.len() >= 4);
    assert_eq!(firsts, seconds);
    for pair in readings.chunks(2) {
        assert_eq!(pair[0].0, pair[1].0);
    }
    let times: Vec<f64> = readings.iter().step_by(2).map(|(at, _, _)| *at).collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    assert!(times[0] >= 0.0);
    assert!(sampler.finish().is_empty());
}

#[test]
fn it_ends_without_waiting_for_the_next_tick() {
    let (watch, hears) = counting("busy_waits", u32::MAX);
    let mut sampler = Sampler::start(vec![watch], NEVER, Instant::now());
    hears.recv().expect("a reading");
    // With a sleep in place of a condition this would go on for days.
    assert_eq!(sampler.finish().len(), 1);
    // The thread has let go of its watches.
    assert!(hears.recv().is_err());
}

#[test]
fn one_that_is_dropped_ends_too() {
    let (watch, hears) = counting("busy_waits", u32::MAX);
    let sampler = Sampler::start(vec![watch], NEVER, Instant::now());
    hears.recv().expect("a reading");
    drop(sampler);
    assert!(hears.recv().is_err());
}

#[test]
fn a_watch_that_fails_is_left_out_with_a_note() {
    let (fails, gone) = counting("busy_waits", 3);
    let (stays, hears) = counting("busy_share", u32::MAX);
    let mut sampler = Sampler::start(vec![fails, stays], SHORT, Instant::now());
    while hears.recv().expect("a reading") < 10 {}
    let readings = sampler.finish();
    assert_eq!(of(&readings, "busy_waits").collect::<Vec<_>>(), [1.0, 2.0]);
    assert!(of(&readings, "busy_share").count() >= 9);
    assert_eq!(sampler.notes(), ["no longer watched: the counter broke"]);
    assert_eq!(gone.iter().count(), 3, "it isn't asked again");
}

#[test]
fn nothing_to_watch_is_no_trouble() {
    let mut sampler = Sampler::start(Vec::new(), SHORT, Instant::now());
    assert!(sampler.finish().is_empty());
    assert!(sampler.notes().is_empty());
    let (watch, _hears) = counting("busy_waits", 1);
    let mut sampler = Sampler::start(vec![watch], SHORT, Instant::now());
    assert!(sampler.finish().is_empty());
    assert_eq!(sampler.notes().len(), 1);
}

#[test]
fn a_watch_that_panics_takes_only_the_readings_with_it() {
    struct Panics;
    impl Watch for Panics {
        fn read(&mut self, _: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
            std::panic::resume_unwind(Box::new("a fault of the program"));
        }
    }
    let mut sampler = Sampler::start(vec![Box::new(Panics)], SHORT, Instant::now());
    assert!(sampler.finish().is_empty());
    assert_eq!(sampler.notes(), ["watching broke off: a reader gave up"]);
}

#[test]
fn missed_ticks_are_passed_over() {
    let every = Duration::from_millis(100);
    let at = |milliseconds: u64| Duration::from_millis(milliseconds);
    assert_eq!(next(0, 1, every, at(3)), 1);
    assert_eq!(next(1, 1, every, at(199)), 2);
    // What took until 3.5 ticks goes on with the fourth, at its usual time.
    assert_eq!(next(1, 1, every, at(350)), 4);
    assert_eq!(span(every, 4), at(400));
    // Exactly on a tick: that one has begun.
    assert_eq!(next(1, 1, every, at(300)), 4);
    // Thinned out: only every fourth.
    assert_eq!(next(4, 4, every, at(410)), 8);
    assert_eq!(next(5, 4, every, at(910)), 12);
    assert_eq!(span(every, u64::MAX), Duration::from_nanos(u64::MAX));
}

#[test]
fn a_long_trial_is_kept_to_its_end() {
    let mut kept = Kept {
        readings: Vec::new(),
        most: 8,
        stride: 1,
    };
    let at = Instant::now();
    let mut tick = 0;
    let mut thinned = 0;
    while tick < 100 {
        let reading = Reading {
            tick,
            at,
            series: "cpu",
            value: tick as f64,
        };
        thinned += u32::from(kept.add(&[reading]));
        assert!(kept.readings.len() <= 8);
        tick = next(tick, kept.stride, SHORT, Duration::ZERO);
    }
    let ticks: Vec<u64> = kept.readings.iter().map(|reading| reading.tick).collect();
    assert_eq!(ticks, [0, 16, 32, 48, 64, 80, 96]);
    assert_eq!(thinned, 4);
}

// ---- what is read ------------------------------------------------------------------------------

fn read(watches: &mut [Box<dyn Watch>]) -> BTreeMap<&'static str, f64> {
    let mut values = BTreeMap::new();
    for watch in watches {
        watch
            .read(&mut |series, value| values.extend([(series, value)]))
            .expect("a reading");
    }
    values
}

#[test]
fn throughput_is_the_rise_of_a_counter() {
    let done = Arc::new(AtomicU64::new(500));
    let mut watch = throughput(Arc::clone(&done));
    let mut values = Vec::new();
    watch
        .read(&mut |_, value| values.push(value))
        .expect("a reading");
    assert!(values.is_empty(), "there is no rate of one reading");

    let mut rate = Rate::default();
    let start = Instant::now();
    assert_eq!(rate.next(start, 500.0), None);
    assert_eq!(
        rate.next(start + Duration::from_millis(250), 600.0),
        Some(400.0)
    );
    assert_eq!(
        rate.next(start + Duration::from_millis(500), 600.0),
        Some(0.0)
    );
    // Begun anew for the next trial.
    assert_eq!(rate.next(start + Duration::from_millis(750), 10.0), None);
    assert_eq!(rate.next(start + Duration::from_secs(1), 20.0), Some(40.0));
    assert_eq!(rate.next(start + Duration::from_secs(1), 30.0), None);
}

#[test]
fn a_machine_is_watched() {
    let made = Made::laptop();
    let mut watches = machine(made.root(), Path::new("/"));
    let first = read(&mut watches);
    assert_eq!(
        first,
        BTreeMap::from([
            ("frequency", 1_550_000_000.0),
            ("memory", 8_047_216.0 * 1024.0)
        ])
    );
    // 100 more units: 30 user, 10 system, 5 in interrupts, 20 waiting, 10 stolen, 25 idle.
    made.file(
        "proc/stat",
        "cpu  130 0 60 825 60 2 13 10 7 0\ncpu0 1 0 0 0 0 0 0 0 0 0\n",
    );
    made.file(
        "sys/devices/pci0000:00/0000:00:06.0/nvme/nvme0/nvme0n1/stat",
        "1 0 100 0 1 0 400 0 0 0 0\n",
    );
    let second = read(&mut watches);
    assert!((second["cpu"] - 0.45).abs() < 1e-9, "{second:?}");
    assert!((second["cpu_stolen"] - 0.1).abs() < 1e-9, "{second:?}");
    assert_eq!(second["disk_read"], 0.0);
    assert!(second["disk_written"] > 0.0);
    // Nothing has happened since: no share of nothing.
    let third = read(&mut watches);
    assert!(!third.contains_key("cpu"));
    assert_eq!(third["disk_written"], 0.0);
}

#[test]
fn only_what_a_machine_offers_is_watched() {
    assert!(machine(Made::empty().root(), Path::new("/")).is_empty());
    // What a virtual machine's kernel tells of frequencies never changes.
    let made = Made::virtual_machine();
    assert_eq!(read(&mut machine(made.root(), Path::new("/"))).len(), 1);
    // A real one without a driver tells what it measured.
    let info = made.text("proc/cpuinfo").replace(" hypervisor", "");
    made.file("proc/cpuinfo", &info);
    let values = read(&mut machine(made.root(), Path::new("/")));
    assert_eq!(values["frequency"], 2_800_000_500.0);
    for path in ["proc/stat", "proc/meminfo", "proc/cpuinfo"] {
        made.file(path, "cpu x 1 2 3\nMemTotal: much\ncpu MHz : NaN\n");
    }
    made.file("sys/devices/pci0000:00/virtio1/block/vda/stat", "1 2\n");
    assert!(machine(made.root(), Path::new("/")).is_empty());
}

#[test]
fn a_file_that_goes_away_is_a_fault() {
    let made = Made::virtual_machine();
    let mut watches = machine(made.root(), Path::new("/"));
    made.without("proc/stat");
    let fault = watches[0].read(&mut |_, _| {}).expect_err("a fault");
    assert_eq!(fault.message, "/proc/stat can't be read any more");
}

#[test]
fn the_real_machine_is_watched() {
    let here = std::env::current_dir().expect("a folder");
    let mut watches = machine(Path::new("/"), &here);
    read(&mut watches);
    for (series, value) in read(&mut watches) {
        let known = crate::model::SERIES.iter().any(|(key, _)| *key == series);
        assert!(known, "{series}");
        assert!(value.is_finite() && value >= 0.0, "{series}: {value}");
    }
}
