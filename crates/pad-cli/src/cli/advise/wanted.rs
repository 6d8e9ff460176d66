//! The wanted load and needs, from the command line and a trace.

use std::path::{Path, PathBuf};

use authdict::trace::TraceReader;
use clap::Args;
use comparison::{
    Load,
    advice::{Limits, Wanted},
    needs::Need,
    trace::TraceLoad,
};

use super::quantities::{bytes, count, key_bytes, per_day, seconds, share, value_bytes, whole};
use crate::cli::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "What is done with the dictionary")]
pub(super) struct LoadArguments {
    /// Take what is not given below from a trace: CSV with the columns snapshot,op,key,value, plain or compressed with
    /// zstd. Its size at the end counts, and its snapshots but the first.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// The number of keys, as 10k or 1M.
    #[arg(long, value_name = "COUNT", value_parser = count, required_unless_present = "trace")]
    keys: Option<u64>,
    /// The bytes of a key [default: 32]
    #[arg(long, value_name = "COUNT", value_parser = key_bytes)]
    key_bytes: Option<u64>,
    /// The bytes of a value [default: 32]
    #[arg(long, value_name = "COUNT", value_parser = value_bytes)]
    value_bytes: Option<u64>,
    /// The changes of keys, as 1/s or 500/day; without --snapshots each is a snapshot of its own.
    #[arg(long, value_name = "RATE", value_parser = per_day)]
    updates: Option<f64>,
    /// The signed snapshots, as 24/day or 1/h.
    #[arg(long, value_name = "RATE", value_parser = per_day)]
    snapshots: Option<f64>,
    /// The changes in each snapshot, with --snapshots; 1 unless the trace says otherwise.
    #[arg(long, value_name = "COUNT", value_parser = count, conflicts_with_all = ["updates"])]
    changes: Option<u64>,
    /// The look-ups of all clients, as 10k/s.
    #[arg(long, value_name = "RATE", value_parser = per_day, default_value = "1/s")]
    lookups: f64,
    /// The share of look-ups that ask an old version, as 10%.
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0%")]
    old_lookups: f64,
    /// The servers: each is sent every update, and holds everything.
    #[arg(long, value_name = "COUNT", value_parser = count, default_value = "1")]
    servers: u64,
    /// How long a version can be asked about [default: 30d; with --numbered, unless old versions are asked, only the latest]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    history: Option<f64>,
    /// How many versions can be asked about, instead; 1 is the latest alone.
    #[arg(long, value_name = "COUNT", value_parser = count, conflicts_with = "history")]
    versions: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What a scheme has to do")]
pub(super) struct NeedArguments {
    /// What is needed, separated by commas: set-unique, constant-proofs, ranges, append-only, no-trusted-setup, absence,
    /// removal, old-versions, unbounded.
    #[arg(long = "need", value_name = "NEEDS", value_delimiter = ',')]
    needs: Vec<Need>,
    /// Entries may have numbers in the order of their arrival instead of keys. What has numbers answers about the latest version
    /// only, so that no other is kept unless --history or --versions says so.
    #[arg(long)]
    numbered: bool,
    /// The most memory of a server, as 4GB.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_memory: Option<f64>,
    /// The longest proof, as 1kB.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_proof: Option<f64>,
    /// The longest time until a snapshot is made and applied, as 10ms.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    max_snapshot: Option<f64>,
}

/// Combines both argument groups, and the trace if there is one.
pub(super) fn wanted(load: &LoadArguments, needs: &NeedArguments) -> Result<Wanted, Failure> {
    let trace = load.trace.as_deref().map(read).transpose()?;
    let load = load.load(trace.as_ref(), needs.kept())?;
    let removes = trace.is_some_and(|trace| trace.removes);
    Ok(Wanted {
        needs: needs.needs(&load, removes),
        load,
        limits: Limits {
            memory_bytes: needs.max_memory,
            proof_bytes: needs.max_proof,
            snapshot_seconds: needs.max_snapshot,
        },
    })
}

fn read(path: &Path) -> Result<TraceLoad, Failure> {
    let failure = |error| Failure::trace(path, &error);
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
    fn load(&self, trace: Option<&TraceLoad>, usual: Kept) -> Result<Load, Failure> {
        let (snapshots_per_day, changes) = self.snapshots(trace)?;
        let kept = match (self.versions, self.history, usual) {
            #[allow(
                clippy::as_conversions,
                clippy::cast_precision_loss,
                reason = "below 2^53"
            )]
            (Some(versions), _, _) => versions as f64,
            (None, None, Kept::Latest) if self.old_lookups <= 0.0 => 1.0,
            (None, history, _) => history.unwrap_or(MONTH) / 86_400.0 * snapshots_per_day,
        };
        let of = |given: Option<u64>, of_trace: fn(&TraceLoad) -> u64, default| {
            given.or_else(|| trace.map(of_trace)).unwrap_or(default)
        };
        let keys = of(self.keys, |trace| trace.keys, 1);
        Ok(Load {
            keys,
            key_bytes: of(self.key_bytes, |trace| trace.key_bytes, 32),
            value_bytes: of(self.value_bytes, |trace| trace.value_bytes, 32),
            // Several changes of one key in a snapshot count once; the last one wins.
            changes: changes.min(keys),
            snapshots_per_day,
            lookups_per_day: self.lookups,
            old_lookups: self.old_lookups,
            servers: self.servers,
            kept_versions: kept.max(1.0),
        })
    }

    /// Snapshots a day and changes in each.
    fn snapshots(&self, trace: Option<&TraceLoad>) -> Result<(f64, u64), Failure> {
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
            (None, None, _) if trace.is_some() => Err(Failure::input(
                "the snapshots of the trace have no dates, give --snapshots, as 24/day",
            )),
            (None, None, _) => Err(Failure::input(
                "how often it changes is missing, give --updates or --snapshots, as 1/s or 24/day",
            )),
        }
    }
}

/// Versions retained by default.
#[derive(Clone, Copy)]
enum Kept {
    /// All versions of the last [`MONTH`].
    Month,
    /// The latest version only.
    Latest,
}

/// Thirty days, in seconds.
const MONTH: f64 = 30.0 * 86_400.0;

impl NeedArguments {
    const fn kept(&self) -> Kept {
        if self.numbered {
            Kept::Latest
        } else {
            Kept::Month
        }
    }

    /// Needs that were requested, needs that always apply, and needs implied by the load.
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
