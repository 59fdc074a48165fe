//! The table of blocks: every kind with its arguments. Reading, error texts and the reference page
//! come from it.

use super::block::{Argument, Kind, Type};

const fn required(name: &'static str, kind: Type, meaning: &'static str) -> Argument {
    Argument {
        name,
        kind,
        required: true,
        default: "",
        meaning,
    }
}

const fn optional(name: &'static str, kind: Type, meaning: &'static str) -> Argument {
    Argument {
        name,
        kind,
        required: false,
        default: "",
        meaning,
    }
}

const fn standard(
    name: &'static str,
    kind: Type,
    default: &'static str,
    meaning: &'static str,
) -> Argument {
    Argument {
        name,
        kind,
        required: false,
        default,
        meaning,
    }
}

const EXPERIMENT: Argument = optional(
    "experiment",
    Type::Text,
    "The experiment shown; without it, the first one of the page's front matter.",
);
const METRIC: Argument = optional(
    "metric",
    Type::Text,
    "The metric shown; it can be left out if the experiment has only one.",
);
const WHERE: Argument = optional(
    "where",
    Type::Levels,
    "Only the cases with these levels, such as `{ plan = \"balanced\" }`; a list takes several levels of a factor.",
);
const RUN: Argument = optional(
    "run",
    Type::Text,
    "The run shown; needed only if there are several that can't be pooled.",
);
const CAPTION: Argument = optional(
    "caption",
    Type::Text,
    "The figure's caption; it may hold values in double braces.",
);
const ID: Argument = optional(
    "id",
    Type::Text,
    "The figure's anchor for links; without it, one is made from its number.",
);
const STATISTIC: Argument = standard(
    "statistic",
    Type::Choice(&["median", "mean", "min", "max"]),
    "\"median\"",
    "What stands for the samples of a case: their median, their mean, the smallest or the largest.",
);
const SCALES: Type = Type::Choice(&["auto", "linear", "log"]);
const MARK: Argument = standard(
    "mark",
    Type::Choice(&["best", "none"]),
    "\"best\"",
    "Whether the best value is marked, together with all that can't be told from it.",
);

/// Arguments of most blocks that mean the same in each; the reference explains them once.
pub const COMMON_ARGUMENTS: &[Argument] = &[EXPERIMENT, WHERE, RUN, STATISTIC, CAPTION, ID];

/// Every kind of block.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "table",
        meaning: "Values in rows and columns: the levels of one factor against those of another, or against several metrics. Figures of your own can follow as CSV after a line `---`.",
        arguments: &[
            required("rows", Type::Text, "The factor whose levels are the rows."),
            optional(
                "columns",
                Type::Text,
                "The factor whose levels are the columns; without it, there is a column for each metric.",
            ),
            optional(
                "metric",
                Type::Texts,
                "The metric shown, or a list of several side by side; it can be left out if the experiment has only one.",
            ),
            MARK,
            optional(
                "show",
                Type::Choices(&["n", "interval"]),
                "What stands beside each value: `n` is the number of runs, `interval` the 95% interval.",
            ),
            EXPERIMENT,
            WHERE,
            RUN,
            STATISTIC,
            CAPTION,
            ID,
        ],
        takes_rows: true,
    },
    Kind {
        name: "chart",
        meaning: "One metric over the levels of a factor, with a series for each level of another.",
        arguments: &[
            required(
                "kind",
                Type::Choice(&["line", "bar", "dot", "timeline"]),
                "How values are drawn: as lines, as bars, as dots (every sample, with the median), or over the time of the run.",
            ),
            optional(
                "x",
                Type::Text,
                "The factor along the horizontal axis; every kind but `timeline` needs it.",
            ),
            optional(
                "series",
                Type::Text,
                "The factor whose levels are drawn as series.",
            ),
            METRIC,
            standard(
                "x_scale",
                SCALES,
                "\"auto\"",
                "The scale of the horizontal axis; `auto` takes `log` if the levels about double from one to the next, or if the largest is at least 100 times the smallest.",
            ),
            standard(
                "y_scale",
                SCALES,
                "\"auto\"",
                "The scale of the value axis; `auto` takes `log` if the largest value is at least 100 times the smallest.",
            ),
            standard(
                "from_zero",
                Type::Flag,
                "false",
                "Whether the value axis of lines and dots begins at zero; that of bars always does.",
            ),
            EXPERIMENT,
            WHERE,
            RUN,
            STATISTIC,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "matrix",
        meaning: "A heat map: one metric over two factors, with the value written in every cell.",
        arguments: &[
            required("rows", Type::Text, "The factor whose levels are the rows."),
            required(
                "columns",
                Type::Text,
                "The factor whose levels are the columns.",
            ),
            METRIC,
            standard(
                "scale",
                SCALES,
                "\"auto\"",
                "How values are spread over the shades; `auto` takes `log` if the largest is at least 20 times the smallest.",
            ),
            MARK,
            optional(
                "boundary",
                Type::Text,
                "A condition on the two factors, such as `data_size > log_size`; a line is drawn around the cells for which it holds.",
            ),
            optional(
                "boundary_label",
                Type::Text,
                "What the line means, for the legend; without it, the condition stands there.",
            ),
            EXPERIMENT,
            WHERE,
            RUN,
            STATISTIC,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "compare",
        meaning: "Two levels of a factor, or two runs, side by side, with the change and the verdict for each metric and each case that both share.",
        arguments: &[
            optional(
                "factor",
                Type::Text,
                "The factor whose levels are compared; without it, `from` and `to` are runs.",
            ),
            required(
                "from",
                Type::Text,
                "The level or run that is the base of the comparison.",
            ),
            required("to", Type::Text, "The level or run compared with the base."),
            optional(
                "metrics",
                Type::Texts,
                "The metrics compared; without it, all that aren't derived.",
            ),
            EXPERIMENT,
            WHERE,
            RUN,
            STATISTIC,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "steps",
        meaning: "Two levels of a factor compared step by step, with the speed-up of each step and the total.",
        arguments: &[
            required(
                "steps",
                Type::Text,
                "The factor whose levels are the steps, such as the indexes of a restore.",
            ),
            required(
                "factor",
                Type::Text,
                "The factor whose levels are compared.",
            ),
            METRIC,
            required(
                "from",
                Type::Text,
                "The level that is the base of the comparison.",
            ),
            required("to", Type::Text, "The level compared with the base."),
            EXPERIMENT,
            WHERE,
            RUN,
            STATISTIC,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "environment",
        meaning: "The machine, the engine and the settings of an experiment's runs; with several runs, what differs comes first.",
        arguments: &[
            optional(
                "run",
                Type::Text,
                "The only run shown; without `run` and `runs`, all are shown.",
            ),
            optional("runs", Type::Texts, "The runs set side by side."),
            EXPERIMENT,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "timeline",
        meaning: "What was watched while cases were measured, such as the checkpoint age: a line for each case over the time within the measurement, of the repetition whose first metric is the median of the case.",
        arguments: &[
            required(
                "series",
                Type::Text,
                "The series shown, by its key in the run’s `timeline.csv`, such as `checkpoint_age`.",
            ),
            EXPERIMENT,
            WHERE,
            RUN,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "correlation",
        meaning: "Whether two figures go together from measurement to measurement: a point for each, and the rank correlation with its interval. It is an association and tells no cause.",
        arguments: &[
            required(
                "x",
                Type::Text,
                "A metric, or a series that was watched (its mean over the measurement).",
            ),
            required(
                "y",
                Type::Text,
                "The metric or series that it is held against.",
            ),
            optional(
                "within",
                Type::Text,
                "A factor that may drive both, such as the number of connections; measurements are then compared only with those at the same level. Without it, only with those of the same case.",
            ),
            EXPERIMENT,
            WHERE,
            RUN,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "history",
        meaning: "A metric over all runs that tell when they began, from the oldest, with the change from run to run. A change is called better or worse only where the data say so.",
        arguments: &[
            METRIC,
            optional(
                "series",
                Type::Text,
                "The factor whose levels are drawn as series.",
            ),
            EXPERIMENT,
            WHERE,
            STATISTIC,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "reproduce",
        meaning: "How to repeat the experiment: the exact command, what it needs, and how much it measures.",
        arguments: &[
            optional(
                "run",
                Type::Text,
                "The run whose command is shown; without it, the latest that was measured, else that of the definition.",
            ),
            EXPERIMENT,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "claims",
        meaning: "The ledger of the page: every claim with its condition, the values behind it and the verdict.",
        arguments: &[],
        takes_rows: false,
    },
    Kind {
        name: "figure",
        meaning: "An image of your own. If a file with the language in its name lies beside it (`cache.de.svg`), pages in that language show it.",
        arguments: &[
            required(
                "src",
                Type::Text,
                "The image file, relative to the Markdown file.",
            ),
            required(
                "alt",
                Type::Text,
                "What the image says, for those who can't see it.",
            ),
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
];
