//! `[run]` as the runner sees it, and every fault in it with its place.

use super::shown;
use crate::diag::{Code, Report, Source};
use crate::model::{CommandResults, Definition, Fill, Order, Procedure, Template};
use crate::source::{File, Files};

const AXES: &str = r#"title = "T"
question = "Q"
[factors.pages]
label = "Pages"
kind = "number"
levels = [1000, 10]
[factors.mode]
label = "Mode"
levels = ["wal", "delete"]
[metrics.throughput]
label = "Throughput"
unit = "ops/s"
[metrics.wait]
label = "Wait"
unit = "ms"
[metrics.each]
label = "Each"
unit = "ms"
derived = "wait / pages"
"#;

/// The procedure of an experiment with this `[run]`.
fn read(run: &str) -> (Option<Procedure>, Report) {
    let mut files = Files::default();
    let path = "data/e/experiment.toml";
    files.insert(path, File::Text(Source::new(path, format!("{AXES}{run}"))));
    let mut report = Report::new();
    let definition: Option<Definition> = crate::data::definition("e", &files, &mut report);
    (definition.and_then(|it| it.procedure), report)
}

fn clean(run: &str) -> Procedure {
    let (procedure, report) = read(run);
    assert_eq!(shown(&report), "");
    procedure.expect("a procedure")
}

/// The faults of a `[run]`: kind, place, what is said.
fn fault(run: &str) -> (Code, String, String) {
    let (_, report) = read(run);
    let found = super::faults(&report);
    assert_eq!(found.len(), 1, "{}", shown(&report));
    let (code, place) = found[0].clone();
    (code, place, shown(&report))
}

/// Fills a template with the level's index, or the name of what fills it.
fn fill(template: &Template) -> String {
    template.fill(|fill| match fill {
        Fill::Level(factor) => format!("<{factor}>"),
        Fill::Number(factor) => format!("<#{factor}>"),
        Fill::Known(name) => format!("<{name}>"),
        Fill::Brace(_) => unreachable!("braces are filled by the template"),
    })
}

#[test]
fn everything_at_once() {
    let run = clean(
        r#"[run]
engine = "sqlite"
workload = "insert-update"
repetitions = 7
order = "grouped"
seed = 42
timeout = "1 min 30 s"
settle = 0.5
power = "{mode}"
[run.settings]
cache_size = "{pages}"
"odd.name" = -2000
[run.parameters]
connections = 4
duration = "1 s"
size = "{pages.value}x{{{mode}}}"
[run.results]
ops = "throughput"
[run.watch]
every = "50 ms"
series = ["cpu"]
off = true
[run.quick]
repetitions = 2
parameters = { duration = "0.2 s" }
settings = { cache_size = 3 }
levels = { pages = ["10"], mode = ["delete", "wal"] }
"#,
    );
    assert_eq!(run.engine.name, "sqlite");
    assert_eq!(run.engine.span.text(), "\"sqlite\"");
    assert_eq!(run.workload.name, "insert-update");
    assert_eq!((run.repetitions, run.seed), (7, 42));
    assert_eq!(run.order, Order::Grouped);
    assert_eq!((run.timeout, run.settle), (90.0, 0.5));
    let pairs = |all: &[crate::model::Assignment]| -> Vec<(String, String)> {
        let all = all.iter();
        all.map(|it| (it.name.clone(), fill(&it.value))).collect()
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        pairs(&run.settings),
        [pair("cache_size", "<0>"), pair("odd.name", "-2000")]
    );
    assert_eq!(
        pairs(&run.parameters),
        [
            pair("connections", "4"),
            pair("duration", "1 s"),
            pair("size", "<#0>x{<1>}")
        ]
    );
    assert_eq!(fill(&run.power.expect("a power plan")), "<1>");
    assert_eq!(run.results.len(), 1);
    assert_eq!((&*run.results[0].0.name, run.results[0].1), ("ops", 0));
    assert_eq!((run.watch.every, run.watch.off), (0.05, true));
    assert_eq!(run.watch.series[0].name, "cpu");
    assert_eq!(run.quick.repetitions, Some(2));
    assert_eq!(pairs(&run.quick.settings), [pair("cache_size", "3")]);
    assert_eq!(pairs(&run.quick.parameters), [pair("duration", "0.2 s")]);
    // Numbers are in ascending order, whatever was written.
    assert_eq!(run.quick.levels, [(0, vec![0]), (1, vec![1, 0])]);
    assert!(run.commands.is_none());
}

#[test]
fn what_is_left_out_has_a_default() {
    let run = clean(
        "[run]\nengine = \"sqlite\"\nworkload = \"bulk-load\"\nsettings = { a = \"{pages}{mode}\" }\n",
    );
    assert_eq!((run.repetitions, run.seed), (5, 1));
    assert_eq!(run.order, Order::Random);
    assert_eq!(
        (run.timeout, run.settle, run.watch.every),
        (300.0, 0.0, 0.1)
    );
    let results = run.results.iter();
    let results: Vec<(&str, usize)> = results.map(|(name, at)| (&*name.name, *at)).collect();
    assert_eq!(results, [("throughput", 0), ("wait", 1)]);
}

#[test]
fn commands_are_split_and_keep_their_placeholders() {
    let run = clean(
        r#"[run]
engine = "command"
[run.results]
tps = "throughput"
wait = "wait"
[run.command]
setup = [["mkdir", "-p", "{scratch}/my db", 7], "touch '{scratch}/a b' \"{seed}\""]
measure = 'bench --pages={pages} --mode "{mode} mode" {{x}}'
teardown = "rm -r {scratch}"
version = "bench --version"
read_back = { cache = "bench --show {block}" }
patterns = { tps = { pattern = 'tps = ([0-9.]+)', unit = "ops/s" }, wait = 'wait (?:is )?(\d+)' }
"#,
    );
    let commands = run.commands.expect("commands");
    let words = |command: &crate::model::CommandLine| -> Vec<String> {
        command.words.iter().map(fill).collect()
    };
    assert_eq!(
        words(&commands.setup[0]),
        ["mkdir", "-p", "<scratch>/my db", "7"]
    );
    assert_eq!(
        words(&commands.setup[1]),
        ["touch", "<scratch>/a b", "<seed>"]
    );
    assert_eq!(
        words(&commands.measure),
        ["bench", "--pages=<0>", "--mode", "<1> mode", "{x}"]
    );
    assert_eq!(words(&commands.teardown[0]), ["rm", "-r", "<scratch>"]);
    assert_eq!(commands.read_back[0].0, "cache");
    let CommandResults::Patterns(patterns) = &commands.results else {
        panic!("{:?}", commands.results);
    };
    assert_eq!((&*patterns[0].0, &*patterns[0].2), ("tps", "ops/s"));
    assert_eq!((&*patterns[1].0, &*patterns[1].2), ("wait", "ms"));
    assert_eq!(patterns[1].1.name, r"wait (?:is )?(\d+)");
    assert_eq!(run.workload.name, "command");
}

/// A `[run]` that says no more than it has to.
fn with(more: &str) -> String {
    format!(
        "[run]\nengine = \"sqlite\"\nworkload = \"w\"\nsettings = {{ a = \"{{pages}}{{mode}}\" }}\n{more}"
    )
}

#[test]
fn values_that_cannot_be_used() {
    for (line, code, place) in [
        ("repetitions = 0", Code::BadDefinition, "0"),
        ("repetitions = -1", Code::BadDefinition, "-1"),
        ("repetitions = 2.5", Code::BadDefinition, "2.5"),
        (
            "repetitions = 4000000000",
            Code::BadDefinition,
            "4000000000",
        ),
        ("seed = -1", Code::BadDefinition, "-1"),
        ("order = \"randm\"", Code::BadDefinition, "\"randm\""),
        ("timeout = 0", Code::BadQuantity, "0"),
        ("timeout = \"-1 s\"", Code::BadQuantity, "\"-1 s\""),
        ("timeout = \"5 MiB\"", Code::BadQuantity, "\"5 MiB\""),
        ("timeout = \"soon\"", Code::BadQuantity, "\"soon\""),
        ("timeout = 1e300", Code::BadQuantity, "1e300"),
        ("settle = \"400 d\"", Code::BadQuantity, "\"400 d\""),
        ("timeout = []", Code::BadDefinition, "[]"),
        ("engin = 1", Code::UnknownKey, "engin"),
        ("watch = { evry = 1 }", Code::UnknownKey, "evry"),
        ("watch = { every = 0 }", Code::BadQuantity, "0"),
        (
            "quick = { levels = { page = [\"10\"] } }",
            Code::UnknownFactor,
            "page",
        ),
        (
            "quick = { levels = { pages = [\"11\"] } }",
            Code::UnknownLevel,
            "\"11\"",
        ),
        (
            "quick = { levels = { pages = [] } }",
            Code::BadDefinition,
            "[]",
        ),
        ("quick = { repetitions = 0 }", Code::BadDefinition, "0"),
        (
            "parameters = { x = \"{page}\" }",
            Code::UnknownFactor,
            "{page}",
        ),
        (
            "parameters = { x = \"{mode.value}\" }",
            Code::BadDefinition,
            "{mode.value}",
        ),
        (
            "parameters = { x = \"{pages.size}\" }",
            Code::BadDefinition,
            "{pages.size}",
        ),
        ("parameters = { x = \"a{pages\" }", Code::BadDefinition, "{"),
        ("parameters = { x = \"pages}\" }", Code::BadDefinition, "}"),
        (
            "parameters = { x = \"{output}\" }",
            Code::BadDefinition,
            "{output}",
        ),
        ("parameters = { x = [1] }", Code::BadDefinition, "[1]"),
        (
            "results = { x = \"throughputt\" }",
            Code::UnknownMetric,
            "\"throughputt\"",
        ),
        (
            "results = { x = \"each\" }",
            Code::BadDefinition,
            "\"each\"",
        ),
        (
            "results = { x = \"wait\", y = \"wait\" }",
            Code::BadDefinition,
            "\"wait\"",
        ),
        ("steps = \"index\"", Code::UnknownFactor, "\"index\""),
        ("steps = \"mode\"", Code::BadDefinition, "{mode}"),
        (
            "command = { measure = \"x\" }",
            Code::BadDefinition,
            "command",
        ),
    ] {
        let (found, under, shown) = fault(&with(line));
        assert_eq!((found, &*under), (code, place), "{line}\n{shown}");
    }
}

#[test]
fn what_has_to_be_told() {
    let (_, under, shown) =
        fault("[run]\nengine = \"sqlite\"\nsettings = { a = \"{pages}{mode}\" }\n");
    assert_eq!(under, "run");
    assert!(shown.contains("`workload` is missing in `run`"), "{shown}");
    let (_, _, shown) = fault(&with("").replace("sqlite", "command"));
    assert!(shown.contains("[run.command]"), "{shown}");
    let (code, _, shown) =
        fault("[run]\nengine = \"sqlite\"\nworkload = \"w\"\nsettings = { a = \"{pages}\" }\n");
    assert_eq!(code, Code::BadDefinition);
    assert!(
        shown.contains("warning") && shown.contains("`mode`"),
        "{shown}"
    );
}

#[test]
fn commands_that_cannot_be_used() {
    let command = |lines: &str| {
        let axes = "measure = \"m {pages} {mode}\"";
        let axes = if lines.contains("measure") { "" } else { axes };
        let version = "version = \"v {pages} {mode}\"";
        let version = if lines.contains("version") {
            ""
        } else {
            version
        };
        format!(
            "[run]\nengine = \"command\"\n[run.results]\nwall_time = \"wait\"\n[run.command]\n{axes}\n{version}\n{lines}\n"
        )
    };
    for (lines, place, said) in [
        ("measure = 'a | b'", "|", "shell = true"),
        ("measure = 'a \"b'", "'a \"b'", "quote"),
        ("measure = ''", "''", "program"),
        ("measure = []", "[]", "program"),
        ("measure = 5", "5", "a text or a list of words"),
        ("measure = [[\"a\"]]", "[\"a\"]", "a text or number"),
        (
            "measure = '{scrtch}'",
            "{scrtch}",
            "did you mean `scratch`?",
        ),
        (
            "measure = ''' awk '{print $1}' '''",
            "{print $1}",
            "write `{{` and `}}`",
        ),
        ("setup = ['mkdir', '-p']", "'-p'", "a list of its own"),
        ("shell = true\nsetup = [['a']]", "['a']", "one text"),
        ("format = 'jsn'", "'jsn'", "did you mean `json`?"),
        ("shell = 1", "1", "`true` or `false`"),
        ("meesure = 1", "meesure", "unknown key"),
        ("patterns = {}", "patterns", "no pattern"),
        ("patterns = { wall_time = 'x' }", "'x'", "parentheses"),
        ("patterns = { wall_time = '(x' }", "'(x'", "unclosed group"),
        (
            "patterns = { wall_time = { pattern = '(x)', unit = 'MiB' } }",
            "'MiB'",
            "something else",
        ),
        (
            "patterns = { wall_time = { pattern = '(x)', unit = '5' } }",
            "'5'",
            "is no unit",
        ),
        (
            "patterns = { wall_time = '(x)', tps = '(x)' }",
            "tps",
            "becomes no metric",
        ),
        (
            "format = 'json'\npatterns = { wall_time = '(x)' }",
            "'json'",
            "not by both",
        ),
    ] {
        let (_, under, shown) = fault(&command(lines));
        assert_eq!(under, place, "{lines}\n{shown}");
        assert!(shown.contains(said), "{lines}\n{shown}");
    }
    let nothing = "[run]\nengine = \"command\"\n[run.results]\nwall_time = \"wait\"\n[run.command]\nversion = \"{pages}{mode}\"\n";
    assert!(
        fault(nothing)
            .2
            .contains("`measure` is missing in `run.command`")
    );
    let wall = command("").replace("\"wait\"", "\"throughput\"");
    assert_eq!(fault(&wall).0, Code::WrongUnit);
    let user = wall.replace("wall_time =", "user_time =");
    assert!(fault(&user).2.contains("`user_time` is a time"));
    let counted = command("patterns = { wait = '(x)' }").replace(
        "wall_time = \"wait\"",
        "wait = \"wait\"\nuser_time = \"throughput\"",
    );
    let (code, _, shown) = fault(&counted);
    assert_eq!(code, Code::WrongUnit);
    assert!(shown.contains("`user_time` is a time"), "{shown}");
    // Of a pattern's own number nothing is known but its metric.
    let own = command("patterns = { wall_time = '(x)' }").replace("\"wait\"", "\"throughput\"");
    clean(&own);
    let both = command("patterns = { tps = '(?<value>x)(y)' }")
        .replace("wall_time =", "tps = \"throughput\"\nsystem_time =");
    assert_eq!(clean(&both).results.len(), 2);
    let other = command("").replace("wall_time =", "time =");
    assert!(fault(&other).2.contains("`wall_time`"));
}

#[test]
fn levels_have_to_be_declared() {
    let mut files = Files::default();
    let path = "data/e/experiment.toml";
    let text = format!("{AXES}{}", with("")).replace("levels = [1000, 10]\n", "");
    files.insert(path, File::Text(Source::new(path, text)));
    let mut report = Report::new();
    let definition = crate::data::definition("e", &files, &mut report).expect("a definition");
    assert!(definition.factors[0].levels.is_empty());
    let shown = shown(&report);
    assert!(
        shown.contains("the factor `pages` has no levels to run"),
        "{shown}"
    );
    let mut report = Report::new();
    assert!(crate::data::definition("f", &files, &mut report).is_none());
    assert_eq!(super::faults(&report)[0].0, Code::UnknownExperiment);
}
