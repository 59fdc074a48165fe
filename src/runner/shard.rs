//! Parts of a plan for several machines: how they are written, and how array jobs number them.

/// One of several parts of a plan: whole blocks, dealt out in turn. Part `k` of `n` holds the blocks
/// whose zero-based number leaves `k − 1` when divided by `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
}

/// How a system numbers the jobs of an array.
struct Numbering {
    /// The variable with the number of this job.
    number: &'static str,
    /// The number of the first job.
    first: First,
    /// The variable with the distance between two numbers, if they may lie apart.
    step: Option<&'static str>,
    /// How it tells how many jobs there are, if it does.
    count: Count,
}

enum First {
    Is(u32),
    In(&'static str),
}

enum Count {
    In(&'static str),
    /// The variable with the number of the last job.
    Last(&'static str),
    Untold,
}

/// Systems that are known, by what their own documents say. Numbers that a person chooses freely (PBS)
/// are taken to begin with 1.
const NUMBERINGS: &[Numbering] = &[
    Numbering {
        number: "SLURM_ARRAY_TASK_ID",
        first: First::In("SLURM_ARRAY_TASK_MIN"),
        step: Some("SLURM_ARRAY_TASK_STEP"),
        count: Count::In("SLURM_ARRAY_TASK_COUNT"),
    },
    // Kubernetes doesn't tell how many completions a job has, unless the manifest passes it on.
    Numbering {
        number: "JOB_COMPLETION_INDEX",
        first: First::Is(0),
        step: None,
        count: Count::In("JOB_COMPLETIONS"),
    },
    Numbering {
        number: "AWS_BATCH_JOB_ARRAY_INDEX",
        first: First::Is(0),
        step: None,
        count: Count::In("AWS_BATCH_JOB_ARRAY_SIZE"),
    },
    Numbering {
        number: "PBS_ARRAY_INDEX",
        first: First::Is(1),
        step: None,
        count: Count::Untold,
    },
    Numbering {
        number: "PBS_ARRAYID",
        first: First::Is(1),
        step: None,
        count: Count::Untold,
    },
    Numbering {
        number: "SGE_TASK_ID",
        first: First::In("SGE_TASK_FIRST"),
        step: Some("SGE_TASK_STEPSIZE"),
        count: Count::Last("SGE_TASK_LAST"),
    },
    // GitLab.
    Numbering {
        number: "CI_NODE_INDEX",
        first: First::Is(1),
        step: None,
        count: Count::In("CI_NODE_TOTAL"),
    },
    Numbering {
        number: "BUILDKITE_PARALLEL_JOB",
        first: First::Is(0),
        step: None,
        count: Count::In("BUILDKITE_PARALLEL_JOB_COUNT"),
    },
    Numbering {
        number: "CIRCLE_NODE_INDEX",
        first: First::Is(0),
        step: None,
        count: Count::In("CIRCLE_NODE_TOTAL"),
    },
];

impl Shard {
    /// Reads `2/8`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part such as `2/8`");
        let (part, of) = text.split_once('/').ok_or_else(wrong)?;
        let part: u32 = part.trim().parse().map_err(|_| wrong())?;
        let of: u32 = of.trim().parse().map_err(|_| wrong())?;
        Self::checked(part, of)
    }

    /// Reads `2/8`, or `auto`, for which the variables of array jobs are looked up: those of Slurm,
    /// Kubernetes, AWS Batch, PBS, Grid Engine, GitLab, Buildkite and CircleCI. `auto/8` says how many
    /// parts there are where the system doesn't tell: PBS, and Kubernetes unless its manifest sets
    /// `JOB_COMPLETIONS`.
    pub fn choose(text: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix("auto") else {
            return Self::parse(text);
        };
        let of = match rest.strip_prefix('/') {
            Some(of) => Some(number("auto/", of)?),
            None if rest.is_empty() => None,
            None => {
                return Err(format!(
                    "`{text}` is neither `auto` nor a part such as `2/8`"
                ));
            }
        };
        Self::from_variables(of, lookup)
    }

    /// The part that the variables of an array job name; `of` is how many there are, where that is said.
    pub fn from_variables(
        of: Option<u32>,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        // Grid Engine sets its variables in every job, to `undefined` outside of arrays.
        let get = |name: &str| lookup(name).filter(|it| !it.is_empty() && it != "undefined");
        let mut found: Option<(&str, Self)> = None;
        for numbering in NUMBERINGS {
            let Some(own) = get(numbering.number) else {
                continue;
            };
            let shard = numbering.shard(&own, of, &get)?;
            match found {
                Some((other, there)) if there != shard => {
                    return Err(format!(
                        "`{other}` says part {there}, `{}` says part {shard}: name the part, as in \
                         `--shard {shard}`",
                        numbering.number
                    ));
                }
                _ => found = Some((numbering.number, shard)),
            }
        }
        let known = || NUMBERINGS.iter().map(|it| it.number).collect::<Vec<_>>();
        found.map(|(_, shard)| shard).ok_or_else(|| {
            format!(
                "no variable of an array job is set: none of {}",
                known().join(", ")
            )
        })
    }

    /// Whether it holds a block.
    pub fn holds(self, block: u32) -> bool {
        block % self.of == self.part - 1
    }

    fn checked(part: u32, of: u32) -> Result<Self, String> {
        if part == 0 || part > of {
            return Err(format!(
                "there is no part {part} of {of}: parts are numbered from 1"
            ));
        }
        Ok(Self { part, of })
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}", self.part, self.of)
    }
}

impl Numbering {
    fn shard(
        &self,
        own: &str,
        of: Option<u32>,
        get: &impl Fn(&str) -> Option<String>,
    ) -> Result<Shard, String> {
        let read = |name: &str| get(name).map(|text| number(name, &text)).transpose();
        let own = number(self.number, own)?;
        let first = match self.first {
            First::Is(first) => first,
            First::In(name) => read(name)?.unwrap_or(1),
        };
        let step = match self.step {
            Some(name) => read(name)?.unwrap_or(1).max(1),
            None => 1,
        };
        let place = own
            .checked_sub(first)
            .filter(|distance| distance % step == 0)
            .map(|distance| distance / step)
            .ok_or_else(|| {
                format!(
                    "`{}` is {own}: numbers begin with {first} and lie {step} apart",
                    self.number
                )
            })?;
        let told = match self.count {
            Count::In(name) => read(name)?.map(|count| (name, count)),
            Count::Last(name) => {
                read(name)?.map(|last| (name, last.saturating_sub(first) / step + 1))
            }
            Count::Untold => None,
        };
        let of = match (told, of) {
            (Some((name, told)), Some(of)) if told != of => {
                return Err(format!(
                    "`{name}` says that there are {told} parts, not {of}: name the part, as in \
                     `--shard {}/{of}`",
                    place + 1
                ));
            }
            (Some((_, of)), _) | (None, Some(of)) => of,
            (None, None) => {
                return Err(format!(
                    "`{}` is set, but nothing says how many parts there are: write `--shard auto/8` \
                     for eight",
                    self.number
                ));
            }
        };
        if place >= of {
            return Err(format!(
                "`{}` is {own}, and there are {of} parts: numbers must not leave gaps",
                self.number
            ));
        }
        Shard::checked(place + 1, of)
    }
}

fn number(name: &str, text: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("`{name}` is `{text}`, and a whole number is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(text: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name)?;
            Some(found.1.to_owned())
        };
        Shard::choose(text, lookup).map(|shard| shard.to_string())
    }

    #[test]
    fn parts_are_numbered_from_one() {
        assert_eq!(Shard::parse("2/8"), Ok(Shard { part: 2, of: 8 }));
        for wrong in ["0/8", "9/8", "8", "/8", "a/8", "1/0", "-1/8", "1/8/2", ""] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_hold_every_block_once() {
        for of in 1..6 {
            for block in 0..20 {
                let holding = (1..=of).filter(|&part| Shard { part, of }.holds(block));
                assert_eq!(holding.count(), 1);
            }
        }
        let second = Shard { part: 2, of: 3 };
        let blocks: Vec<u32> = (0..9).filter(|&block| second.holds(block)).collect();
        assert_eq!(blocks, [1, 4, 7]);
    }

    #[test]
    fn slurm_may_begin_anywhere_and_step() {
        let slurm = |id, min, step, count| {
            auto(
                "auto",
                &[
                    ("SLURM_ARRAY_TASK_ID", id),
                    ("SLURM_ARRAY_TASK_MIN", min),
                    ("SLURM_ARRAY_TASK_STEP", step),
                    ("SLURM_ARRAY_TASK_COUNT", count),
                ],
            )
        };
        assert_eq!(slurm("0", "0", "1", "8"), Ok("1/8".to_owned()));
        assert_eq!(slurm("15", "1", "2", "8"), Ok("8/8".to_owned()));
        // `--array=1,3,7`: numbers with gaps that no step explains.
        assert!(
            slurm("7", "1", "1", "3")
                .expect_err("a fault")
                .contains("gaps")
        );
        assert!(
            slurm("4", "1", "2", "8")
                .expect_err("a fault")
                .contains("2 apart")
        );
    }

    #[test]
    fn every_system_is_read_by_its_own_rules() {
        for (variables, part) in [
            (
                &[
                    ("AWS_BATCH_JOB_ARRAY_INDEX", "0"),
                    ("AWS_BATCH_JOB_ARRAY_SIZE", "4"),
                ][..],
                "1/4",
            ),
            (&[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")], "1/4"),
            (
                &[
                    ("BUILDKITE_PARALLEL_JOB", "3"),
                    ("BUILDKITE_PARALLEL_JOB_COUNT", "4"),
                ],
                "4/4",
            ),
            (
                &[("CIRCLE_NODE_INDEX", "2"), ("CIRCLE_NODE_TOTAL", "4")],
                "3/4",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "2"), ("JOB_COMPLETIONS", "4")],
                "3/4",
            ),
            (
                &[
                    ("SGE_TASK_ID", "20"),
                    ("SGE_TASK_FIRST", "10"),
                    ("SGE_TASK_LAST", "40"),
                    ("SGE_TASK_STEPSIZE", "10"),
                ],
                "2/4",
            ),
        ] {
            assert_eq!(auto("auto", variables), Ok(part.to_owned()));
        }
    }

    #[test]
    fn the_number_of_parts_can_be_said() {
        for (variable, value) in [
            ("JOB_COMPLETION_INDEX", "2"),
            ("PBS_ARRAY_INDEX", "3"),
            ("PBS_ARRAYID", "3"),
        ] {
            let variables = [(variable, value)];
            assert_eq!(auto("auto/4", &variables), Ok("3/4".to_owned()));
            assert!(
                auto("auto", &variables)
                    .expect_err("a fault")
                    .contains("auto/8")
            );
        }
        assert!(auto("auto/4", &[("PBS_ARRAY_INDEX", "0")]).is_err());
        assert!(auto("auto/4", &[("PBS_ARRAY_INDEX", "5")]).is_err());
        // A single task sent again: the system counts one, the plan has four.
        let again = [
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_COUNT", "1"),
        ];
        assert!(
            auto("auto/4", &again)
                .expect_err("a fault")
                .contains("--shard")
        );
    }

    #[test]
    fn nothing_is_guessed() {
        assert!(
            auto("auto", &[])
                .expect_err("a fault")
                .contains("SLURM_ARRAY_TASK_ID")
        );
        assert!(auto("auto", &[("SGE_TASK_ID", "undefined")]).is_err());
        assert!(auto("automatic", &[]).is_err());
        let two = [
            ("CI_NODE_INDEX", "1"),
            ("CI_NODE_TOTAL", "4"),
            ("CIRCLE_NODE_INDEX", "2"),
            ("CIRCLE_NODE_TOTAL", "4"),
        ];
        assert!(auto("auto", &two).expect_err("a fault").contains("3/4"));
        assert_eq!(auto("2/3", &two), Ok("2/3".to_owned()));
    }
}
