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
    "The metric; it can be left out if the experiment has only one.",
);
const EXPERIMENT: Parameter = optional(
    "experiment",
    "The experiment; without it, the first one of the page's front matter.",
);
const RUN: Parameter = optional(
    "run",
    "The run; needed only if there are several that can't be pooled.",
);
const STATISTIC: Parameter = optional(
    "statistic",
    "What stands for the samples of a case: `\"median\"` (unless stated), `\"mean\"`, `\"min\"` or `\"max\"`.",
);
const FROM: Parameter = required("from", "The level that is the base of the comparison.");
const TO: Parameter = required("to", "The level compared with the base.");
const FACTOR: Parameter = optional(
    "factor",
    "The factor of both levels; needed only if several factors have levels of these names.",
);

/// Arguments of most functions that mean the same in each; the reference explains them once.
pub const COMMON_PARAMETERS: &[Parameter] = CELLS;

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
        "The value of one case. What you write must match exactly one.",
        "value(architecture=\"Classic\", page_buffers=1500)",
    ),
    pair(
        "change",
        "How much `to` differs from `from`, as a share of `from`; shown as percent with its sign.",
        "change(from=\"balanced\", to=\"high-performance\", metric=\"throughput\")",
    ),
    pair(
        "difference",
        "How much `to` differs from `from`, in the metric's unit.",
        "difference(from=\"balanced\", to=\"high-performance\", metric=\"restore_time\")",
    ),
    pair(
        "ratio",
        "`to` divided by `from`.",
        "ratio(from=\"balanced\", to=\"high-performance\", metric=\"restore_time\")",
    ),
    pair(
        "speedup",
        "How many times better `to` is than `from`, whether more or less is better.",
        "speedup(from=\"balanced\", to=\"high-performance\", metric=\"restore_time\")",
    ),
    cells(
        "best",
        &["value", "*"],
        "The best value of the matching cases. Its fields, such as `.page_buffers`, are the levels at which it was found.",
        "best(architecture=\"Classic\").page_buffers",
    ),
    cells(
        "worst",
        &["value", "*"],
        "The worst value of the matching cases, with the same fields as `best`.",
        "worst(architecture=\"Classic\")",
    ),
    cells(
        "range",
        &["low", "high"],
        "The smallest and the largest value of the matching cases; each by itself with `.low` and `.high`.",
        "range(architecture=\"Classic\")",
    ),
    cells(
        "sum",
        &[],
        "The sum over all matching cases that have a value.",
        "sum(plan=\"balanced\")",
    ),
    cells(
        "mean",
        &[],
        "The mean over all matching cases that have a value.",
        "mean(plan=\"balanced\")",
    ),
    Function {
        name: "count",
        parameters: COUNTS,
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning: "How many of the matching cases have a value.",
        example: "count(architecture=\"Classic\", above=300)",
    },
    Function {
        name: "missing",
        parameters: CASES,
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning: "How many of the matching cases have no value.",
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
        meaning: "A setting that was the same in every case; `.default` is what the engine takes by itself.",
        example: "setting(\"LockHashSlots\").default",
    },
    Function {
        name: "fact",
        parameters: &[EXPERIMENT, RUN],
        positional: "the fact's key",
        takes_levels: false,
        fields: &[],
        meaning: "A fact of the environment by its key, such as `cpu` or `engine`.",
        example: "fact(\"cpu\")",
    },
    Function {
        name: "level",
        parameters: &[EXPERIMENT],
        positional: "",
        takes_levels: true,
        fields: &[],
        meaning: "The label of a level, in the language of the page.",
        example: "level(plan=\"high-performance\")",
    },
];

const DIGITS: Parameter = optional("digits", "How many decimal places are shown, from 0 to 12.");
const SIGN: Parameter = optional(
    "sign",
    "Whether positive values get a plus sign: `true` or `false`. Unless stated, only those of `change` do.",
);

/// Every filter.
pub const FILTERS: &[Function] = &[
    filter(
        "number",
        &[DIGITS],
        "A plain number without unit.",
        "value(…) | number(digits=1)",
    ),
    filter(
        "percent",
        &[DIGITS, SIGN],
        "A share as percent.",
        "change(…) | percent(digits=1, sign=false)",
    ),
    filter(
        "times",
        &[DIGITS],
        "A factor, such as 1.59×.",
        "ratio(…) | times(digits=2)",
    ),
    filter(
        "duration",
        &[],
        "A length of time in the parts that suit it, such as 4 h 7 min.",
        "value(…) | duration",
    ),
    filter(
        "size",
        &[],
        "An amount of data in the unit that suits it, such as 858.3 MiB.",
        "value(…) | size",
    ),
    filter(
        "date",
        &[],
        "A date, written out in the language of the page.",
        "fact(\"date\") | date",
    ),
    filter(
        "abs",
        &[],
        "The value without its sign.",
        "change(…) | abs | percent",
    ),
    filter(
        "round",
        &[optional(
            "digits",
            "How many decimal places are kept; none unless stated.",
        )],
        "The rounded value; further calculations go on with it.",
        "value(…) | round(digits=0)",
    ),
    filter(
        "unit",
        &[required(
            "u",
            "The unit, of the same dimension as the value.",
        )],
        "The value in another unit.",
        "value(…) | unit(u=\"MiB\")",
    ),
    filter(
        "bare",
        &[],
        "The value without its unit.",
        "value(…) | bare",
    ),
];
