//! A plan as a terminal shows it before it is run.

use std::fmt;

use super::amounts::{Side, columns, count, duration, size};
use crate::runner::estimate::{Basis, OVERHEAD, Prediction};
use crate::runner::outline::Outline;

impl fmt::Display for Outline {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{}: {} on {}\n",
            self.experiment, self.workload, self.engine
        )?;
        let factors: Vec<String> = self
            .factors
            .iter()
            .map(|(factor, levels)| format!("{factor} ({})", levels.len()))
            .collect();
        let mut facts = vec![
            ["cases", &self.cases.to_string(), &factors.join(" × ")].map(str::to_owned),
            [
                "trials",
                &self.trials.to_string(),
                &format!(
                    "{}, order {}, seed {}",
                    count(self.repetitions as usize, "repetition"),
                    self.order.key(),
                    self.seed
                ),
            ]
            .map(str::to_owned),
            [
                "starts",
                &self.starts.to_string(),
                &format!(
                    "data built {}, {} that need a restart",
                    count(self.builds, "time"),
                    count(self.changes, "change")
                ),
            ]
            .map(str::to_owned),
        ];
        if let Some(shard) = self.shard {
            let whole = self.cases * self.repetitions as usize;
            let text = format!(
                "of {}; whole blocks, dealt out in turn",
                count(whole, "trial")
            );
            facts.push(["part".to_owned(), shard.to_string(), text]);
        }
        let facts: Vec<Vec<String>> = facts.into_iter().map(|row| row.to_vec()).collect();
        out.write_str(&columns(&facts, &[Side::Left, Side::Right, Side::Left], 2))?;
        let disk = match self.disk {
            Some(bytes) => format!("about {}", size(bytes)),
            None => "unknown".to_owned(),
        };
        writeln!(out, "  disk    {disk}")?;
        writeln!(out, "  time    {}", time(&self.prediction))?;
        if !self.first.is_empty() {
            let more = self.trials - self.first.len();
            let title = if more > 0 { "first trials" } else { "trials" };
            writeln!(out, "\n{title}\n{}", self.listed())?;
            if more > 0 {
                writeln!(out, "  … and {more} more\n")?;
            }
        }
        for note in &self.notes {
            writeln!(out, "note: {note}\n")?;
        }
        writeln!(out, "to run it: {}", self.command)
    }
}

impl Outline {
    fn listed(&self) -> String {
        let mut head = vec!["order".to_owned(), "block".to_owned()];
        head.extend(self.factors.iter().map(|(factor, _)| factor.clone()));
        let mut sides = vec![Side::Left; head.len()];
        sides[..2].fill(Side::Right);
        let mut rows = vec![head];
        rows.extend(self.first.iter().map(|(trial, case)| {
            let mut row = vec![trial.order.to_string(), trial.block.to_string()];
            row.extend(case.iter().map(|(_, level)| level.clone()));
            row
        }));
        columns(&rows, &sides, 2)
    }
}

fn time(prediction: &Prediction) -> String {
    let [low, seconds, high] = [prediction.low, prediction.seconds, prediction.high].map(duration);
    match prediction.basis {
        Basis::Seen(trials) => format!(
            "about {seconds} ({low} to {high})\n          by {} seen before",
            count(trials as usize, "trial")
        ),
        Basis::Parameters => format!(
            "about {seconds} ({low} to {high})\n          by the times that the workload is \
             given, and {} to {} a trial\n          for all else, likely {}",
            duration(OVERHEAD[0]),
            duration(OVERHEAD[2]),
            duration(OVERHEAD[1])
        ),
        Basis::Limit => {
            format!(
                "not known before the first trials; at most {high},\n          if every one lasts \
                 until its time limit"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Order;
    use crate::runner::plan::{Shard, Trial};

    use super::*;

    #[test]
    fn times_that_nobody_knows_are_said_to_be_so() {
        let prediction = Prediction {
            seconds: 3050.0,
            low: 0.0,
            high: 3050.0,
            basis: Basis::Limit,
        };
        assert_eq!(
            time(&prediction),
            "not known before the first trials; at most 50 min 50 s,\n          \
             if every one lasts until its time limit"
        );
    }

    #[test]
    fn plans_are_shown_whole() {
        let case = |cache: &str, mode: &str| {
            vec![
                ("cache".to_owned(), cache.to_owned()),
                ("mode".to_owned(), mode.to_owned()),
            ]
        };
        let trial = |order| Trial {
            order,
            block: 1,
            case: 0,
        };
        let outline = Outline {
            experiment: "made".to_owned(),
            engine: "paper",
            workload: "scribble",
            factors: vec![
                ("cache".to_owned(), vec![String::new(); 3]),
                ("mode".to_owned(), vec![String::new(); 2]),
            ],
            cases: 6,
            repetitions: 5,
            trials: 12,
            starts: 13,
            builds: 1,
            changes: 8,
            disk: Some(3e8),
            prediction: Prediction {
                seconds: 156.0,
                low: 140.4,
                high: 204.0,
                basis: Basis::Parameters,
            },
            order: Order::Random,
            seed: 1,
            shard: Some(Shard { part: 2, of: 2 }),
            first: vec![
                (trial(6), case("100", "WAL")),
                (trial(7), case("1000", "DELETE")),
            ],
            notes: vec!["5 of 7 repetitions fit into the budget".to_owned()],
            command: "benchbook run made --shard 2/2".to_owned(),
        };
        let expected = "\
made: scribble on paper

  cases     6  cache (3) × mode (2)
  trials   12  5 repetitions, order random, seed 1
  starts   13  data built 1 time, 8 changes that need a restart
  part    2/2  of 30 trials; whole blocks, dealt out in turn
  disk    about 286 MiB
  time    about 2 min 36 s (2 min 20 s to 3 min 24 s)
          by the times that the workload is given, and 0 s to 5 s a trial
          for all else, likely 1 s

first trials
  order  block  cache  mode
      6      1  100    WAL
      7      1  1000   DELETE

  … and 10 more

note: 5 of 7 repetitions fit into the budget

to run it: benchbook run made --shard 2/2
";
        assert_eq!(outline.to_string(), expected);
    }
}
