//! The recorded run of `measure`, and the simulation of the same run.

use comparison::{random::Zipf, timing::percentile};

use super::{
    coefficients::Coefficients,
    simulation::{Delay, Follow, Place, Readers, Scenario, Seen, simulate},
};
use crate::prelude::*;

/// The lines of a run.
#[derive(Clone, Debug)]
pub struct Recorded {
    run: Line,
    batch: Line,
    staleness: Line,
    look_ups: Vec<Line>,
}

/// A figure as it was measured and as it is simulated.
#[derive(Clone, Debug)]
pub struct Compared {
    pub name: String,
    pub unit: &'static str,
    pub measured: f64,
    pub simulated: f64,
    pub kind: Kind,
}

/// What a simulated figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The simulation found it.
    Found,
    /// It rests on what is not simulated: cores that sleep between two questions, or other programs.
    Beside,
}

/// By what share simulated figures that were found are off at most.
pub const WITHIN: f64 = 0.25;

impl Compared {
    /// By what share of the measured figure the simulated one is off.
    pub fn off(&self) -> f64 {
        self.simulated / self.measured - 1.0
    }
}

impl Recorded {
    /// The lines of a file's text; `file` is what errors and sources call it.
    pub fn new(file: &str, lines: &[Line]) -> Outcome<Self> {
        let all = |experiment: &str| of(lines, experiment);
        let one = |experiment: &str| {
            let line = all(experiment).first().map(|line| (*line).clone());
            line.ok_or_else(|| format!("{file}: no line of {experiment}"))
        };
        let recorded = Self {
            run: one("scale_run")?,
            batch: one("scale_batch")?,
            staleness: one("scale_staleness")?,
            look_ups: all("scale_look_ups").into_iter().cloned().collect(),
        };
        let first = recorded.look_ups.first();
        let is_one = first.is_some_and(|line| line.count("connections") == 1);
        ensure(is_one, &format!("{file}: no look-ups over one connection"))?;
        Ok(recorded)
    }

    pub const fn run(&self) -> &Line {
        &self.run
    }

    pub const fn batch(&self) -> &Line {
        &self.batch
    }

    /// Where figures of it are.
    pub fn source(experiment: &str, figures: &str) -> String {
        format!("run, `{experiment}`: `{figures}`")
    }

    pub fn keys(&self) -> f64 {
        self.run.figure("keys")
    }

    pub fn update_bytes(&self) -> f64 {
        self.batch.figure("update_bytes") / self.batch.figure("changes")
    }

    pub fn export_us(&self) -> f64 {
        self.batch.figure("export_ms") * 1e3 / self.batch.figure("changes")
    }

    fn single(&self) -> &Line {
        &self.look_ups[0]
    }

    /// The fewest connections that keep all cores busy: two for each.
    fn busy(&self) -> &Line {
        let wanted = 2 * self.run.count("cores");
        let mut lines = self.look_ups.iter();
        let busy = lines.find(|line| line.count("connections") >= wanted);
        busy.unwrap_or_else(|| self.single())
    }

    /// Microseconds of a server's cores for an answer, when they are busy.
    pub fn server_us(&self) -> f64 {
        self.busy().figure("server_us")
    }

    pub fn answer_bytes(&self) -> f64 {
        self.single().figure("answer_bytes")
    }

    pub fn header_bytes(&self) -> f64 {
        self.single().figure("header_bytes")
    }

    /// The run and its simulation, figure by figure.
    pub fn compared(&self, coefficients: &Coefficients) -> Vec<Compared> {
        let mut compared = Vec::new();
        let seen = simulate(&self.publishing(coefficients));
        for (seen, place) in seen.iter().zip(["server", "mirror"]) {
            for hundredths in [10, 50, 90, 99] {
                compared.push(Compared {
                    name: format!(
                        "how old is what is read of the {place}, {}",
                        share_of(hundredths)
                    ),
                    unit: "ms",
                    measured: self.staleness.figure(&format!("{place}.p{hundredths}_ms")),
                    simulated: percentile(&seen.staleness, hundredths) * 1e3,
                    kind: Kind::Found,
                });
            }
        }
        for line in &self.look_ups {
            let connections = line.count("connections");
            let seen = self.looking_up(line);
            let plural = if connections == 1 { "" } else { "s" };
            let name = |what: &str| format!("{connections} connection{plural}, {what}");
            let kind = if connections >= self.busy().count("connections") {
                Kind::Found
            } else {
                Kind::Beside
            };
            compared.push(Compared {
                name: name("look-ups a second"),
                unit: "",
                measured: line.figure("per_second"),
                simulated: seen.latency.len() as f64 / (SPAN - WARM_UP),
                kind,
            });
            for (hundredths, figure, kind) in [(50, "p50_us", kind), (99, "p99_us", Kind::Beside)] {
                compared.push(Compared {
                    name: name(share_of(hundredths)),
                    unit: "us",
                    measured: line.figure(figure),
                    simulated: percentile(&seen.latency, hundredths) * 1e6,
                    kind,
                });
            }
        }
        compared
    }

    /// Batches, a server, a mirror, and a few readers of each.
    fn publishing(&self, coefficients: &Coefficients) -> Scenario {
        let milliseconds = |figure| self.staleness.figure(figure) / 1e3;
        let least = milliseconds("publish_least_ms");
        let publish = Delay {
            least,
            more: (milliseconds("publish_mean_ms") - least).max(0.0),
        };
        let request = Delay::fixed(self.single().figure("p50_us") / 1e6);
        let server = Place {
            follow: None,
            cache: None,
            cores: 1,
            work: Delay::default(),
            way: request,
            readers: Readers::Open {
                per_second: 100.0,
                keys: Zipf::new(1, 1.0),
            },
        };
        let follow = Follow {
            pause: milliseconds("pause_ms"),
            round_trip: request,
            take: Delay::fixed(coefficients.commit_us.value / 1e6),
        };
        let mirror = Place {
            follow: Some(follow),
            ..server
        };
        Scenario {
            seed: 1,
            span: 600.0,
            warm_up: 5.0,
            batch: milliseconds("batch_ms"),
            publish,
            witnesses: Vec::new(),
            quorum: 0,
            places: vec![server, mirror],
        }
    }

    /// Connections to a server that shares its machine's cores with them, and with other programs. What an answer takes of cores is
    /// what it takes when they are busy; what others took meanwhile is as it was.
    fn looking_up(&self, line: &Line) -> Seen {
        let busy = self.busy();
        let cores = self.run.figure("cores");
        let others = line.number("cores_used_by_others").unwrap_or(0.0).max(0.0);
        let work = (busy.figure("server_us") + busy.figure("client_us")) / 1e6;
        let place = Place {
            follow: None,
            cache: None,
            cores: self.run.count("cores") as usize,
            work: Delay::fixed(work * cores / (cores - others).max(0.1)),
            way: Delay::default(),
            readers: Readers::Closed(line.count("connections")),
        };
        let scenario = Scenario {
            seed: 1,
            span: SPAN,
            warm_up: WARM_UP,
            batch: 1.0,
            publish: Delay::default(),
            witnesses: Vec::new(),
            quorum: 0,
            places: vec![place],
        };
        simulate(&scenario).remove(0)
    }
}

/// How long look-ups are simulated, and for how long of it they do not count.
const SPAN: f64 = 4.0;
const WARM_UP: f64 = 0.2;

/// How people call a percentile.
pub fn share_of(hundredths: usize) -> &'static str {
    match hundredths {
        10 => "a tenth under",
        50 => "half under",
        90 => "9 of 10 under",
        _ => "99 of 100 under",
    }
}

#[cfg(test)]
mod tests;
