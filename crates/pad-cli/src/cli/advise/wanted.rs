//! Input of `pad advise`: the load and the required properties, from the command line and an
//! optional trace.

use std::path::{Path, PathBuf};

use authdict::trace::TraceReader;
use clap::Args;
use comparison::{
    Load,
    advice::{Limits, Requirements},
    needs::Need,
    trace::TraceLoad,
};

use crate::cli::{
    Failure, Result,
    quantity::{bytes, count, key_bytes, per_day, seconds, share, value_bytes, whole},
};

#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub(super) struct LoadArguments {
    /// Take the values not given below from a CSV trace.
    ///
    /// The columns are snapshot,op,key,value; plain or compressed with Zstandard. Keys are counted
    /// after the last snapshot. Changes and rates leave out the first snapshot, which loads the
    /// initial keys.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Number of keys, such as 10k or 1M.
    #[arg(long, value_name = "COUNT", value_parser = count, required_unless_present = "trace")]
    keys: Option<u64>,
    /// Bytes per key [default: the trace's, or 32]
    #[arg(long, value_name = "COUNT", value_parser = key_bytes)]
    key_bytes: Option<u64>,
    /// Bytes per value [default: the trace's, or 32]
    #[arg(long, value_name = "COUNT", value_parser = value_bytes)]
    value_bytes: Option<u64>,
    /// Rate of key changes, such as 1/s or 500/day.
    ///
    /// Without --snapshots each change is a snapshot of its own.
    #[arg(long, value_name = "RATE", value_parser = per_day)]
    updates: Option<f64>,
    /// Rate of signed snapshots, such as 24/day or 1/h.
    #[arg(long, value_name = "RATE", value_parser = per_day)]
    snapshots: Option<f64>,
    /// Changes per snapshot, with --snapshots.
    ///
    /// Default: the trace's changes per snapshot, or 1.
    #[arg(long, value_name = "COUNT", value_parser = count, conflicts_with_all = ["updates"])]
    changes: Option<u64>,
    /// Rate of lookups of all clients, such as 10k/s.
    #[arg(long, value_name = "RATE", value_parser = per_day, default_value = "1/s")]
    lookups: f64,
    /// Share of lookups in an old version, such as 10%.
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0%")]
    old_lookups: f64,
    /// Number of servers; each holds everything and gets every update.
    #[arg(long, value_name = "COUNT", value_parser = count, default_value = "1")]
    servers: u64,
    /// Keep versions for this TIME [default: 30d]
    ///
    /// With --numbered, the default is to keep only the latest version, if --old-lookups is 0%.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    history: Option<f64>,
    /// Keep COUNT versions, instead of those of a TIME; 1 keeps only the latest.
    #[arg(long, value_name = "COUNT", value_parser = count, conflicts_with = "history")]
    versions: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Requirements")]
pub(super) struct NeedArguments {
    /// Required properties, separated by commas.
    ///
    /// They are set-unique, constant-proofs, ranges, append-only, no-trusted-setup, absence,
    /// removal, old-versions and unbounded.
    #[arg(long = "need", value_name = "NEEDS", value_delimiter = ',')]
    needs: Vec<Need>,
    /// Allow numbered entries, in order of arrival, instead of keys.
    ///
    /// Numbered entries answer for the latest version only. No other version is kept unless
    /// --history or --versions is given.
    #[arg(long)]
    numbered: bool,
    /// Maximum memory of a server, such as 4GB.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_memory: Option<f64>,
    /// Maximum size of a proof, such as 1kB.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_proof: Option<f64>,
    /// Maximum time to make and apply a snapshot, such as 10ms.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    max_snapshot: Option<f64>,
    /// Maximum time to make and verify a proof, such as 1ms.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    max_lookup: Option<f64>,
}

/// Returns the load, needs and limits from both groups of arguments, and from the trace that `load`
/// names, if any.
pub(super) fn wanted(load: &LoadArguments, needs: &NeedArguments) -> Result<Requirements> {
    let trace = load.trace.as_deref().map(read).transpose()?;
    // Numbered entries answer for the latest version only.
    let history = (!needs.numbered).then_some(MONTH);
    let load = load.load(trace.as_ref(), history)?;
    let removes = trace.is_some_and(|trace| trace.removes);
    Ok(Requirements {
        needs: needs.needs(&load, removes),
        load,
        limits: Limits {
            memory_bytes: needs.max_memory,
            proof_bytes: needs.max_proof,
            snapshot_seconds: needs.max_snapshot,
            lookup_seconds: needs.max_lookup,
        },
    })
}

fn read(path: &Path) -> Result<TraceLoad> {
    let failure = Failure::trace(path);
    let snapshots = TraceReader::open(path).map_err(failure)?;
    let named =
        snapshots.map(|snapshot| snapshot.map(|snapshot| (snapshot.name, snapshot.operations)));
    let load = TraceLoad::of(named).map_err(failure)?;
    if load.keys == 0 {
        return Err(Failure::Input(format!(
            "trace {}: nothing is left at its end",
            path.display()
        )));
    }
    Ok(load)
}

impl LoadArguments {
    /// Returns the load. By default, servers keep versions for `history` seconds, or the latest
    /// version only.
    fn load(&self, trace: Option<&TraceLoad>, history: Option<f64>) -> Result<Load> {
        let (snapshots_per_day, changes) = self.snapshots(trace)?;
        let kept = match (self.versions, self.history.or(history)) {
            #[allow(
                clippy::as_conversions,
                clippy::cast_precision_loss,
                reason = "below 2^53"
            )]
            (Some(versions), _) => versions as f64,
            (None, None) if self.old_lookups <= 0.0 => 1.0,
            (None, history) => history.unwrap_or(MONTH) / 86_400.0 * snapshots_per_day,
        };
        let of = |given: Option<u64>, of_trace: fn(&TraceLoad) -> u64, default| {
            given.or_else(|| trace.map(of_trace)).unwrap_or(default)
        };
        let keys = of(self.keys, |trace| trace.keys, 1);
        Ok(Load {
            keys,
            key_bytes: of(self.key_bytes, |trace| trace.key_bytes, 32),
            value_bytes: of(self.value_bytes, |trace| trace.value_bytes, 32),
            // Several changes of one key in a snapshot count once, because only the last takes
            // effect.
            changes: changes.min(keys),
            snapshots_per_day,
            lookups_per_day: self.lookups,
            old_lookups: self.old_lookups,
            servers: self.servers,
            kept_versions: kept.max(1.0),
        })
    }

    /// Returns the number of snapshots per day, and the number of changes in each snapshot. Options
    /// take precedence over `trace`.
    fn snapshots(&self, trace: Option<&TraceLoad>) -> Result<(f64, u64)> {
        let of_trace = trace.and_then(TraceLoad::snapshots_per_day);
        let changes = self
            .changes
            .or_else(|| trace.map(|trace| trace.changes.max(1)));
        match (self.updates, self.snapshots.or(of_trace), changes) {
            (Some(updates), Some(snapshots), _) => {
                Ok((snapshots, whole(updates / snapshots).max(1)))
            }
            (Some(updates), None, _) => Ok((updates, 1)),
            (None, Some(snapshots), Some(changes)) => Ok((snapshots, changes)),
            (None, Some(snapshots), None) => Ok((snapshots, 1)),
            (None, None, _) if trace.is_some() => {
                Err(Failure::input("the snapshots of the trace have no dates")
                    .help("give --snapshots, such as 24/day"))
            }
            (None, None, _) => Err(Failure::input("the rate of changes is missing")
                .help("give --updates, such as 1/s, or --snapshots, such as 24/day")),
        }
    }
}

const MONTH: f64 = 30.0 * 86_400.0;

impl NeedArguments {
    /// Returns the properties that a scheme must have: the requested ones, those that always apply,
    /// and those that the load implies. `removes` states that the trace removes keys.
    fn needs(&self, load: &Load, removes: bool) -> Vec<Need> {
        let mut needs = self.needs.clone();
        let implied = [
            (Need::Latest, true),
            (Need::OwnKeys, !self.numbered),
            (Need::Removal, removes),
            (
                Need::OldVersions,
                load.kept_versions > 1.0 || load.old_lookups > 0.0,
            ),
        ];
        for (need, is_implied) in implied {
            if is_implied && !needs.contains(&need) {
                needs.push(need);
            }
        }
        needs
    }
}
