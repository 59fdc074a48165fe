//! The tables of functions and filters of expressions. Evaluation, error texts and the reference
//! page come from them.

/// An argument of a function or filter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// What it is for, in English; translated by the message `parameter-<function>-<name>`, else
    /// `parameter-<name>`.
    pub meaning: &'static str,
}

/// A function or filter.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its named arguments.
    pub parameters: &'static [Parameter],
    /// What its first argument without a name is; empty when it takes none.
    pub positional: &'static str,
    /// Whether further arguments, named by factors, choose levels.
    pub takes_levels: bool,
    /// Fields of what it gives, besides the value itself; `*` stands for the name of any factor.
    pub fields: &'static [&'static str],
    /// What it gives, in English; translated by the message `function-<name>` or `filter-<name>`.
    pub meaning: &'static str,
    /// How it is used.
    pub example: &'static str,
}

const fn optional(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        required: false,
        meaning,
    }
}

const fn required(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        required: true,
        meaning,
    }
}

const METRIC: Parameter = optional(
    "metric",
    "The metric; may be left out when the experiment measures only one.",
);
const EXPERIMENT: Parameter = optional(
    "experiment",
    "The experiment; without it, the article's first one.",
);
const RUN: Parameter = optional("run", "The run; needed only when several can't be pooled.");
const STATISTIC: Parameter = optional(
    "statistic",
    "What stands for the samples of a case: \"median\" (as without it), \"mean\", \"min\" or \"max\".",
);
const FROM: Parameter = required("from", "The level that is compared with.");
const TO: Parameter = required("to", "The level that is compared.");
const FACTOR: Parameter = optional(
    "factor",
    "The factor of both levels; needed only when several factors have levels of these names.",
);

const CELLS: &[Parameter] = &[METRIC, EXPERIMENT, RUN, STATISTIC];
const PAIRS: &[Parameter] = &[FROM, TO, FACTOR, METRIC, EXPERIMENT, RUN, STATISTIC];
const COUNTS: &[Parameter] = &[
    METRIC,
    EXPERIMENT,
    RUN,
    STATISTIC,
    optional(
        "above",
        "Counts only values greater than this number, in the metric's unit.",
    ),
    optional(
        "below",
        "Counts only values smaller than this number, in the metric's unit.",
    ),
];
const CASES: &[Parameter] = &[METRIC, EXPERIMENT, RUN];

const fn cells(
    name: &'static str,
    fields: &'static [&'static str],
    meaning: &'static str,
    example: &'static str,
) -> Function {
    Function {
        name,
        parameters: CELLS,
        positional: "",
        takes_levels: true,
        fields,
        meaning,
        example,
    }
}

const fn pair(name: &'static str, meaning: &'static str, example: &'static str) -> Function {
    Function {
        name,
        parameters: PAIRS,
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning,
        example,
    }
}

const fn filter(
    name: &'static str,
    parameters: &'static [Parameter],
    meaning: &'static str,
    example: &'static str,
) -> Function {
    Function {
        name,
        parameters,
        positional: "",
        takes_levels: false,
        fields: &[],
        meaning,
        example,
    }
}

/// Every function.
pub const FUNCTIONS: &[Function] = &[
    cells(
        "value",
        &[],
        "The value of exactly one case; levels are given by the names of their factors.",
        "value(architecture=\"Classic\", page_buffers=1500)",
    ),
    pair(
        "change",
        "How much one level differs from another, as a share of the first: (to − from) / from.",
        "change(from=\"balanced\", to=\"high-performance\", metric=\"throughput\")",
    ),
    pair(
        "difference",
        "How much one level differs from another, in the metric's unit: to − from.",
        "difference(from=\"balanced\", to=\"high-performance\", metric=\"restore_time\")",
    ),
    pair(
        "ratio",
        "One level divided by another: to / from.",
        "ratio(from=\"balanced\", to=\"high-performance\", metric=\"restore_time\")",
    ),
    pair(
        "speedup",
        "How many times better one level is than another, whether more or less is better.",
        "speedup(from=\"balanced\", to=\"high-performance\", metric=\"restore_time\")",
    ),
    cells(
        "best",
        &["value", "*"],
        "The best value of the matching cases; its fields give the level of each factor.",
        "best(architecture=\"Classic\").page_buffers",
    ),
    cells(
        "worst",
        &["value", "*"],
        "The worst value of the matching cases; its fields give the level of each factor.",
        "worst(architecture=\"Classic\")",
    ),
    cells(
        "range",
        &["low", "high"],
        "The smallest and the largest value of the matching cases.",
        "range(architecture=\"Classic\")",
    ),
    cells(
        "sum",
        &[],
        "The sum of the matching cases' values.",
        "sum(plan=\"balanced\")",
    ),
    cells(
        "mean",
        &[],
        "The mean of the matching cases' values.",
        "mean(plan=\"balanced\")",
    ),
    Function {
        name: "count",
        parameters: COUNTS,
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning: "How many matching cases have a value.",
        example: "count(architecture=\"Classic\", above=300)",
    },
    Function {
        name: "missing",
        parameters: CASES,
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning: "How many matching cases have no value.",
        example: "missing(architecture=\"Classic\")",
    },
    Function {
        name: "cases",
        parameters: CASES,
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning: "How many cases match, with or without a value.",
        example: "cases()",
    },
    Function {
        name: "setting",
        parameters: &[EXPERIMENT],
        positional: "the setting's name",
        takes_levels: false,
        fields: &["value", "default"],
        meaning: "A setting of the experiment; its field `default` is what the engine would take.",
        example: "setting(\"LockHashSlots\").default",
    },
    Function {
        name: "fact",
        parameters: &[EXPERIMENT, RUN],
        positional: "the fact's key",
        takes_levels: false,
        fields: &[],
        meaning: "A fact of the environment, such as the processor or the engine's version.",
        example: "fact(\"cpu\")",
    },
    Function {
        name: "level",
        parameters: &[EXPERIMENT],
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning: "The label of one level, in the page's language.",
        example: "level(plan=\"high-performance\")",
    },
];

const DIGITS: Parameter = optional("digits", "How many decimal places are shown.");
const SIGN: Parameter = optional(
    "sign",
    "`true` shows a plus sign before what is greater than zero.",
);

/// Every filter.
pub const FILTERS: &[Function] = &[
    filter(
        "number",
        &[DIGITS],
        "Shown as a plain number.",
        "value(…) | number(digits=1)",
    ),
    filter(
        "percent",
        &[DIGITS, SIGN],
        "Shown as percent.",
        "change(…) | percent(sign=true)",
    ),
    filter(
        "times",
        &[DIGITS],
        "Shown as a factor, such as 1.59×.",
        "ratio(…) | times(digits=2)",
    ),
    filter(
        "duration",
        &[],
        "Shown as a length of time, such as 4 h 7 min.",
        "value(…) | duration",
    ),
    filter(
        "size",
        &[],
        "Shown as an amount of data, such as 858.3 MiB.",
        "value(…) | size",
    ),
    filter(
        "date",
        &[],
        "Shown as a date in the page's language.",
        "fact(\"date\") | date",
    ),
    filter("abs", &[], "Without its sign.", "change(…) | abs | percent"),
    filter(
        "round",
        &[DIGITS],
        "Rounded, also for further calculation.",
        "value(…) | round(digits=0)",
    ),
    filter(
        "unit",
        &[required(
            "u",
            "The unit to show it in, of the same dimension.",
        )],
        "Shown in another unit.",
        "value(…) | unit(u=\"MiB\")",
    ),
    filter("bare", &[], "Shown without its unit.", "value(…) | bare"),
];
