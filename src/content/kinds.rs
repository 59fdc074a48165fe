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
    "The experiment to show; without it, the first one named in the article's front matter.",
);
const METRIC: Argument = optional(
    "metric",
    Type::Text,
    "The metric to show; may be left out when the experiment measures only one.",
);
const WHERE: Argument = optional(
    "where",
    Type::Levels,
    "Keeps only the cases with these levels, by factor: one level or a list of them.",
);
const RUN: Argument = optional(
    "run",
    Type::Text,
    "The run to show; needed only when the experiment has several that can't be pooled.",
);
const CAPTION: Argument = optional(
    "caption",
    Type::Text,
    "The figure's caption; it may hold inline values.",
);
const ID: Argument = optional(
    "id",
    Type::Text,
    "The figure's anchor for links, instead of one made from its number.",
);
const STATISTIC: Argument = standard(
    "statistic",
    Type::Choice(&["median", "mean", "min", "max"]),
    "\"median\"",
    "What stands for the samples of one case.",
);
const SCALES: Type = Type::Choice(&["auto", "linear", "log"]);
const MARK: Argument = standard(
    "mark",
    Type::Choice(&["best", "none"]),
    "\"best\"",
    "Whether the best value is marked; values that noise can't tell apart are marked together.",
);

/// Every kind of block.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "table",
        meaning: "A table of values: one factor's levels as rows, another's or several metrics as columns.",
        arguments: &[
            required("rows", Type::Text, "The factor whose levels are the rows."),
            optional(
                "columns",
                Type::Text,
                "The factor whose levels are the columns.",
            ),
            optional(
                "metric",
                Type::Texts,
                "The metric to show, or a list of them, each with its own columns.",
            ),
            MARK,
            optional(
                "show",
                Type::Choices(&["n", "interval"]),
                "What stands beside each value: `n` for the number of runs, `interval` for the 95 % interval.",
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
        meaning: "A chart of one metric over a factor, with one series for each level of another.",
        arguments: &[
            required(
                "kind",
                Type::Choice(&["line", "bar", "dot", "timeline"]),
                "How values are drawn: lines, bars, dots for every sample, or values over time.",
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
                "The horizontal axis's scale; `auto` takes `log` for levels that grow by doubling.",
            ),
            standard(
                "y_scale",
                SCALES,
                "\"auto\"",
                "The vertical axis's scale; `auto` takes `log` when values span several powers of ten.",
            ),
            standard(
                "from_zero",
                Type::Flag,
                "false",
                "Whether the vertical axis of lines and dots begins at zero; bars always do.",
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
        meaning: "A heat map of one metric over two factors, with text in every cell.",
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
                "How values are spread over the shades.",
            ),
            MARK,
            optional(
                "boundary",
                Type::Text,
                "A comparison of the two factors; a line separates the cells where it holds.",
            ),
            optional(
                "boundary_label",
                Type::Text,
                "What the line means, for the legend.",
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
        meaning: "Two levels of a factor, or two runs, side by side, with the change and a verdict for each case and metric.",
        arguments: &[
            optional(
                "factor",
                Type::Text,
                "The factor whose levels are compared; without it, `from` and `to` are runs.",
            ),
            required(
                "from",
                Type::Text,
                "The level or run everything is compared with.",
            ),
            required(
                "to",
                Type::Text,
                "The level or run that is compared with it.",
            ),
            optional(
                "metrics",
                Type::Texts,
                "The metrics to compare; without it, all of them.",
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
        meaning: "Step by step, where two levels of a factor differ, and how much each step adds.",
        arguments: &[
            required(
                "steps",
                Type::Text,
                "The factor whose levels are the steps.",
            ),
            required(
                "factor",
                Type::Text,
                "The factor whose levels are compared.",
            ),
            METRIC,
            required("from", Type::Text, "The level everything is compared with."),
            required("to", Type::Text, "The level that is compared with it."),
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
        meaning: "The machine, the engine and the settings under which an experiment ran, or what differs between runs.",
        arguments: &[
            optional("run", Type::Text, "The run whose environment is shown."),
            optional(
                "runs",
                Type::Texts,
                "Runs whose environments are set side by side.",
            ),
            EXPERIMENT,
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
    Kind {
        name: "claims",
        meaning: "The article's ledger: every claim with its condition, the values behind it and the verdict.",
        arguments: &[],
        takes_rows: false,
    },
    Kind {
        name: "figure",
        meaning: "An image; a file with the language in its name is chosen by itself.",
        arguments: &[
            required(
                "src",
                Type::Text,
                "The image file, relative to the Markdown file.",
            ),
            required(
                "alt",
                Type::Text,
                "What the image says, for those who don't see it.",
            ),
            CAPTION,
            ID,
        ],
        takes_rows: false,
    },
];
