//! Plans: what they hold, how they are ordered, what they refuse, and that anyone can recompute them.

use std::collections::BTreeSet;
use std::path::Path;

use super::fixture::{RUN, definition, plan, planned, shown};
use super::plan::{Plan, Shard, Wishes};
use crate::diag::Report;
use crate::model::Order;

fn cases(plan: &Plan<'_>, block: u32) -> Vec<u32> {
    let of_block = plan.trials.iter().filter(|trial| trial.block == block);
    of_block.map(|trial| trial.case).collect()
}

fn only(factor: &str, level: &str) -> (String, String) {
    (factor.to_owned(), level.to_owned())
}

/// What a `[run]` with wishes is told.
fn told(run: &str, wishes: &Wishes) -> String {
    let definition = definition(run);
    let mut report = Report::new();
    let plan = plan(&definition, wishes, &mut report);
    assert_eq!(plan.is_none(), report.has_errors());
    shown(&report)
}

#[test]
fn cases_are_the_product_of_all_levels_but_those_of_steps() {
    let definition = definition(RUN);
    let plan = planned(&definition, &Wishes::default());
    let cases: Vec<&[u32]> = plan.cases.iter().map(|case| &**case).collect();
    let expected: [&[u32]; 6] = [
        &[0, 0, 0],
        &[0, 1, 0],
        &[1, 0, 0],
        &[1, 1, 0],
        &[2, 0, 0],
        &[2, 1, 0],
    ];
    assert_eq!(cases, expected);
    assert_eq!(plan.repetitions, 5);
    assert_eq!(plan.trials.len(), 30);
    let named = [only("cache", "2 MiB"), only("mode", "delete")];
    assert_eq!(plan.named(3), named);
}

#[test]
fn of_a_server_elsewhere_less_is_known() {
    let mut wishes = Wishes {
        engine: Some("strict".to_owned()),
        ..Wishes::default()
    };
    assert!(told(RUN, &wishes).contains("can't be `delete`"));
    wishes.elsewhere = true;
    assert_eq!(told(RUN, &wishes), "");
}

#[test]
fn wishes_are_completed() {
    let definition = definition(RUN);
    let plan = planned(&definition, &Wishes::default());
    let wishes = Wishes {
        engine: Some("paper".to_owned()),
        repetitions: Some(5),
        order: Some(Order::Random),
        seed: Some(1),
        ..Wishes::default()
    };
    assert_eq!(plan.wishes, wishes);
    assert_eq!(plan.record(7).wishes(), Ok(wishes));
    assert_eq!(plan.command(), "benchbook run made");
}

/// The first two blocks of six cases for seed 1, as a program of its own in another language drew them
/// by the description in `arrange`.
#[test]
fn orders_can_be_recomputed() {
    let definition = definition(RUN);
    let ordered = |order, seed| {
        let wishes = Wishes {
            order: Some(order),
            seed: Some(seed),
            ..Wishes::default()
        };
        let plan = planned(&definition, &wishes);
        [0, 1].map(|block| cases(&plan, block))
    };
    assert_eq!(ordered(Order::Fixed, 1), [[0, 1, 2, 3, 4, 5]; 2]);
    assert_eq!(
        ordered(Order::Random, 1),
        [[3, 4, 0, 1, 5, 2], [0, 2, 4, 5, 1, 3]]
    );
    assert_eq!(
        ordered(Order::Grouped, 1),
        [[5, 4, 1, 0, 3, 2], [4, 5, 0, 1, 2, 3]]
    );
    assert_ne!(ordered(Order::Random, 1), ordered(Order::Random, 2));
}

#[test]
fn groups_share_what_needs_a_restart() {
    let definition = definition(RUN);
    let wishes = Wishes {
        order: Some(Order::Grouped),
        ..Wishes::default()
    };
    let plan = planned(&definition, &wishes);
    let outline = plan.describe(&[]);
    // Three caches in five blocks, of which two may meet where blocks do.
    assert!((10..=14).contains(&outline.changes), "{}", outline.changes);
    for block in 0..5 {
        let block = cases(&plan, block);
        assert_eq!(block.iter().collect::<BTreeSet<_>>().len(), 6);
        for pair in block.chunks(2) {
            assert_eq!(pair[0] / 2, pair[1] / 2, "{block:?}");
        }
    }
}

#[test]
fn shards_hold_every_trial_once_and_as_the_whole_does() {
    let definition = definition(RUN);
    let whole = planned(&definition, &Wishes::default());
    let mut all = Vec::new();
    for part in 1..=3 {
        let wishes = Wishes {
            shard: Some(Shard { part, of: 3 }),
            ..Wishes::default()
        };
        let plan = planned(&definition, &wishes);
        assert_eq!(plan.fingerprint(), whole.fingerprint());
        assert_eq!(
            plan.command(),
            format!("benchbook run made --shard {part}/3")
        );
        all.extend(plan.trials);
    }
    all.sort_by_key(|trial| trial.order);
    assert_eq!(all, whole.trials);
    let wishes = Wishes {
        shard: Some(Shard { part: 7, of: 8 }),
        ..Wishes::default()
    };
    let plan = planned(&definition, &wishes);
    assert!(plan.trials.is_empty());
    assert!(plan.notes()[0].contains("5 blocks for 8 parts: those beyond the last"));
}

#[test]
fn levels_can_be_chosen() {
    let definition = definition(&format!(
        "{RUN}[run.quick]\nrepetitions = 2\nlevels = {{ cache = [\"3 MiB\", \"1 MiB\"] }}\n\
         parameters = {{ connections = 2 }}\nsettings = {{ synchronous = \"off\" }}\n"
    ));
    let chosen = |wishes: &Wishes| -> Vec<String> {
        let plan = planned(&definition, wishes);
        let cases = 0..plan.cases.len() as u32;
        cases
            .map(|case| {
                plan.named(case)
                    .into_iter()
                    .map(|it| it.1)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    };
    let mut wishes = Wishes {
        only: vec![
            only("mode", "wal"),
            only("cache", "2097152"),
            only("cache", "1 MiB"),
        ],
        ..Wishes::default()
    };
    assert_eq!(chosen(&wishes), ["1 MiB wal", "2 MiB wal"]);
    // What is asked for goes before what a short trial keeps.
    wishes.quick = true;
    assert_eq!(chosen(&wishes), ["1 MiB wal", "2 MiB wal"]);
    wishes.only.truncate(1);
    assert_eq!(chosen(&wishes), ["1 MiB wal", "3 MiB wal"]);
    let plan = planned(&definition, &wishes);
    assert_eq!(plan.repetitions, 2);
    assert_eq!(plan.parameters(0).count("connections"), 2);
    assert_eq!(plan.requested(0)[1].value, "off");
    assert_eq!(plan.command(), "benchbook run made --only mode=wal --quick");
}

#[test]
fn cases_are_filled() {
    let definition = definition(
        "[run]\nengine = \"paper\"\nworkload = \"scribble\"\nseed = 9\npower = \"{mode}\"\n\
         [run.settings]\npage_size = \"{mode}\"\ncache_size = \"{cache.value}{{}}\"\n\
         [run.parameters]\nsize = \"{cache}\"\nduration = \"{step}\"\n"
            .replace("\"{step}\"", "\"1 min 5 s\"")
            .as_str(),
    );
    let plan = planned(&definition, &Wishes::default());
    let last = plan.cases.len() as u32 - 1;
    let requested = plan.requested(last);
    let pairs: Vec<(&str, &str)> = requested.iter().map(|it| (&*it.name, &*it.value)).collect();
    assert_eq!(
        pairs,
        [("page_size", "delete"), ("cache_size", "3145728{}")]
    );
    let parameters = plan.parameters(last);
    assert_eq!(parameters.number("size"), 3.0 * 1024.0 * 1024.0);
    assert_eq!(parameters.number("duration"), 65.0);
    assert_eq!(parameters.count("connections"), 4);
    assert_eq!(parameters.word("keys"), "random");
    assert_eq!(plan.power(last).as_deref(), Some("delete"));
    assert_eq!(
        plan.data_key(last),
        "scribble\n9\nsize=3 MiB\nkeys=random\npage_size=delete"
    );
    // The steps of other plans are a factor here: the two last cases share their data.
    assert_eq!(plan.data_key(last), plan.data_key(last - 1));
    assert_ne!(plan.data_key(last), plan.data_key(last - 2));
    let outline = plan.describe(&[]);
    assert_eq!((outline.builds, outline.starts), (6, 60 + 6));
    let size = 1024.0 * 1024.0;
    assert_eq!(
        outline.disk,
        Some(3.0 * size * 3.0 + 2.0 * 3.0 * size * 6.0)
    );
}

#[test]
fn commands_are_filled() {
    let definition = definition(
        "[run]\nengine = \"command\"\nworkload = \"command\"\n[run.results]\nwall_time = \"latency\"\n\
         [run.command]\nsetup = [[\"mkdir\", \"{scratch}/a b\"]]\n\
         measure = \"work --mode={mode} '{cache} {step}' {seed} {block} {output}\"\n",
    );
    let plan = planned(&definition, &Wishes::default());
    let trial = plan.trials[plan.trials.len() - 1];
    let commands = plan.commands(0, &trial, Path::new("/s"), Path::new("/o"), Path::new("/l"));
    let commands = commands.expect("commands");
    assert_eq!(commands.setup[0].words, ["mkdir", "/s/a b"]);
    assert_eq!(
        commands.measure.words,
        ["work", "--mode=wal", "1 MiB first", "1", "4", "/o"]
    );
}

#[test]
fn engines_refuse_settings_before_anything_is_started() {
    let text = |settings: &str| {
        format!(
            "title = \"X\"\nquestion = \"X?\"\n[factors.mode]\nlabel = \"m\"\nkind = \"nominal\"\n\
             levels = [\"WAL\", \"LOG\"]\n[metrics.throughput]\nlabel = \"t\"\nunit = \"1/s\"\n\
             [run]\nengine = \"sqlite\"\nworkload = \"insert-update\"\n[run.settings]\n{settings}"
        )
    };
    let shown = |settings: &str| {
        let mut files = crate::source::Files::default();
        let path = "data/x/experiment.toml";
        let source = crate::diag::Source::new(path, text(settings));
        files.insert(path, crate::source::File::Text(source));
        let mut report = Report::new();
        let definition = crate::data::definition("x", &files, &mut report).expect("a definition");
        let plan = Plan::new(&definition, &Wishes::default(), &mut report);
        assert_eq!(plan.is_none(), report.has_errors());
        crate::diag::render(&report, crate::diag::Format::Human { colour: false })
    };
    let misspelled = shown("jornal_mode = \"{mode}\"\n");
    assert!(
        misspelled.contains("did you mean `journal_mode`?"),
        "{misspelled}"
    );
    let one_level = shown("journal_mode = \"{mode}\"\n");
    assert!(
        one_level.contains("can't be `LOG`") && !one_level.contains("`WAL`"),
        "{one_level}"
    );
    assert_eq!(
        shown("cache_size = \"100\"\nuser_version = \"1\"\n")
            .matches("error")
            .count(),
        0
    );
}

#[test]
fn faults_point_at_their_place() {
    let run = |change: &str, by: &str| RUN.replace(change, by);
    let bare = Wishes::default();
    for (run, wishes, expected) in [
        (
            run("paper", "papre"),
            &bare,
            &[
                "there is no engine `papre`",
                "experiment.toml:20:10",
                "did you mean `paper`?",
            ][..],
        ),
        (
            run("scribble", "scribbel"),
            &bare,
            &[
                "there is no workload `scribbel`",
                "did you mean `scribble`?",
            ],
        ),
        (
            format!("{RUN}[run.parameters]\nconnexions = 4\n"),
            &bare,
            &[
                "there is no parameter of `scribble` named `connexions`",
                "did you mean `connections`?",
            ],
        ),
        (
            format!("{RUN}[run.parameters]\nconnections = 101\n"),
            &bare,
            &[
                "`connections` can't be `101`",
                "a whole number from 1 to 100",
            ],
        ),
        (
            format!("{RUN}[run.parameters]\nconnections = 1.5\n"),
            &bare,
            &["`connections` can't be `1.5`"],
        ),
        (
            format!("{RUN}[run.parameters]\nduration = \"{{cache}}\"\n"),
            &bare,
            &[
                "`duration` has the wrong unit in `1 MiB`",
                "`2 MiB`",
                "`3 MiB`",
            ],
        ),
        (
            format!("{RUN}[run.parameters]\nshare = \"110 %\"\nkeys = \"randm\"\n"),
            &bare,
            &[
                "`share` can't be `110 %`",
                "`keys` can't be `randm`",
                "did you mean `random`?",
            ],
        ),
        (
            format!("{RUN}[run.results]\nthroughputt = \"throughput\"\n"),
            &bare,
            &["no result of `scribble` named `throughputt`"],
        ),
        (
            format!("{RUN}[run.results]\nthroughput = \"latency\"\n"),
            &bare,
            &["`throughput` comes in `1/s`, and `latency` is in `ms`"],
        ),
        (
            run("cache_size", "cash_size"),
            &bare,
            &[
                "there is no `cash_size`: did you mean `cache_size`?",
                "experiment.toml:24:1",
            ],
        ),
        (
            RUN.to_owned(),
            &Wishes {
                engine: Some("strict".to_owned()),
                ..Wishes::default()
            },
            &["`synchronous` can't be `delete`", "experiment.toml:25:1"],
        ),
        (
            RUN.to_owned(),
            &Wishes {
                engine: Some("command".to_owned()),
                ..Wishes::default()
            },
            &[
                "the engine `command` runs programs, and `scribble` needs a database",
                "--engine:1:1",
                "experiment.toml:21:12",
                "write `workload = \"command\"`",
            ],
        ),
        (
            "[run]\nengine = \"paper\"\nworkload = \"command\"\n[run.results]\n\
             wall_time = \"latency\"\n[run.command]\nmeasure = \"x {cache} {mode} {step}\"\n"
                .to_owned(),
            &bare,
            &[
                "the workload `command` runs programs, and `paper` runs none",
                "experiment.toml:20:10",
                "21 | workload",
                "write `engine = \"command\"`",
            ],
        ),
        (
            RUN.to_owned(),
            &Wishes {
                engine: Some("stone".to_owned()),
                ..Wishes::default()
            },
            &["--engine", "there is no engine `stone`"],
        ),
        (
            RUN.to_owned(),
            &Wishes {
                only: vec![
                    only("cashe", "1"),
                    only("mode", "wall"),
                    only("step", "first"),
                ],
                ..Wishes::default()
            },
            &[
                "there is no factor `cashe`",
                "did you mean `cache`?",
                "`mode` has no level `wall`",
                "are steps of every case",
            ],
        ),
        (
            RUN.to_owned(),
            &Wishes {
                repetitions: Some(2_000_000),
                ..Wishes::default()
            },
            &["more than 10000000 trials"],
        ),
    ] {
        let said = told(&run, wishes);
        for text in expected {
            assert!(said.contains(text), "{text:?} isn't in\n{said}");
        }
    }
}

#[test]
fn a_fault_of_a_setting_is_told_once() {
    let said = told(&RUN.replace("cache_size", "cash_size"), &Wishes::default());
    assert_eq!(said.matches("there is no `cash_size`").count(), 1, "{said}");
}

#[test]
fn settings_that_no_program_reads_back_are_told() {
    let said = told(
        "[run]\nengine = \"command\"\nworkload = \"command\"\n[run.settings]\nshown = \"{cache}\"\n\
         hidden = \"{mode}\"\n[run.results]\nwall_time = \"latency\"\n[run.command]\n\
         measure = \"work {cache} {mode} {step}\"\nread_back = { shown = \"x\" }\n",
        &Wishes::default(),
    );
    for text in [
        "warning[bad-definition]: nothing reads `hidden` back",
        "experiment.toml:24:1",
        "read_back = { hidden = ",
    ] {
        assert!(said.contains(text), "{text:?} isn't in\n{said}");
    }
    assert!(!said.contains("`shown`"), "{said}");
}

#[test]
fn times_of_a_command_stand_beside_its_patterns() {
    let definition = definition(
        "[run]\nengine = \"command\"\nworkload = \"command\"\n[run.results]\n\
         tps = \"throughput\"\nuser_time = \"latency\"\n[run.command]\n\
         measure = \"work {cache} {mode} {step}\"\npatterns = { tps = 'tps = (\\d+)' }\n",
    );
    let plan = planned(&definition, &Wishes::default());
    let results = [("tps".to_owned(), 0), ("user_time".to_owned(), 1)];
    assert_eq!(plan.results(), results);
}

#[test]
fn experiments_without_a_procedure_are_refused() {
    assert!(told("", &Wishes::default()).contains("`made` doesn't say how it is run"));
}

#[test]
fn metrics_that_nothing_gives_are_told() {
    let mut definition = definition(RUN);
    definition.metrics[1].key = "latencies".to_owned();
    if let Some(procedure) = &mut definition.procedure {
        procedure.results[1].0.name = "latencies".to_owned();
    }
    let mut report = Report::new();
    let plan = plan(&definition, &Wishes::default(), &mut report).expect("a plan");
    assert_eq!(plan.results(), [("throughput".to_owned(), 0)]);
    let said = shown(&report);
    assert!(
        said.contains("no result named as the metric `latencies`"),
        "{said}"
    );
}

#[test]
fn large_plans_are_laid_out_whole() {
    let levels = |count: u32| {
        let levels: Vec<String> = (1..=count)
            .map(|level| format!("\"{level} KiB\""))
            .collect();
        format!("levels = [{}]", levels.join(", "))
    };
    let text = definition(RUN).source.text.clone();
    let text = text
        .replace("levels = [\"1 MiB\", \"2 MiB\", \"3 MiB\"]", &levels(400))
        .replace(
            "levels = [\"wal\", \"delete\"]",
            &format!("kind = \"bytes\"\n{}", levels(250)),
        );
    let mut files = crate::source::Files::default();
    let path = "data/made/experiment.toml";
    let source = crate::diag::Source::new(path, text);
    files.insert(path, crate::source::File::Text(source));
    let mut report = Report::new();
    let definition = crate::data::definition("made", &files, &mut report).expect("a definition");
    let wishes = Wishes {
        order: Some(Order::Grouped),
        ..Wishes::default()
    };
    let plan = planned(&definition, &wishes);
    assert_eq!((plan.cases.len(), plan.trials.len()), (100_000, 500_000));
    for (order, trial) in plan.trials.iter().enumerate() {
        assert_eq!(trial.order as usize, order);
    }
    let outline = plan.describe(&[]);
    assert_eq!(outline.factors[1].1.len(), 250);
    assert!(
        (1990..=2000).contains(&outline.changes),
        "{}",
        outline.changes
    );
}

#[test]
fn fingerprints_differ_with_whatever_a_trial_depends_on() {
    let print = |run: &str, wishes: &Wishes| {
        let definition = definition(run);
        let plan = planned(&definition, wishes);
        (plan.fingerprint(), plan.inputs())
    };
    let seeded = Wishes {
        seed: Some(2),
        ..Wishes::default()
    };
    let prints = [
        print(RUN, &Wishes::default()),
        print(RUN, &seeded),
        print(
            &RUN.replace("[run]", "[run]\nsettle = 1"),
            &Wishes::default(),
        ),
        print(
            &RUN.replace("[run]", "[run]\nrepetitions = 6"),
            &Wishes::default(),
        ),
        print(&RUN.replace("{cache.value}", "{cache}"), &Wishes::default()),
        print(
            &format!("{RUN}[run.parameters]\nshare = 0.1"),
            &Wishes::default(),
        ),
    ];
    let digests: BTreeSet<_> = prints.iter().map(|(digest, _)| digest).collect();
    let inputs: BTreeSet<_> = prints.iter().map(|(_, inputs)| inputs).collect();
    assert_eq!((digests.len(), inputs.len()), (prints.len(), prints.len()));
    assert_eq!(prints[0], print(RUN, &Wishes::default()));
}
