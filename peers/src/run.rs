//! List of the measured dictionaries, and the command line of this program.

use std::io::{Write, stdout};

use clap::{Parser, builder::PossibleValuesParser};
use pad_core::Sha256Ed25519;
use pad_tree::{
    RedBlackCacheEverywhere, RedBlackPathCopying, TreapCacheEverywhere, TreapPathCopying,
};

use crate::{
    Outcome,
    adapters::{
        accumulator::Accumulated, akd::Auditable, eth_trie::Patricia, jmt::Jellyfish, log::Counted,
        monotree::Mono, nomt::Trie, rs_merkle::SortedLeaves, signed_rows::SignedRows,
        sparse_merkle_tree::Sparse, tree::Tree, vb_accumulator::Bilinear,
    },
    effort::Effort,
    measure::{Emit, measure},
    peer::{About, Peer},
    row::Row,
    stored::{self, OnceArguments},
};

/// Measures third-party authenticated dictionaries next to ours; prints one JSON object per line.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Arguments {
    /// Numbers of keys to measure each dictionary with.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [1_000, 10_000, 100_000],
        value_parser = clap::value_parser!(u64).range(1..=10_000_000),
    )]
    keys: Vec<u64>,
    /// Measure only these dictionaries.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(names()))]
    peer: Vec<String>,
    /// Measure only the third-party tree whose nodes are stored in a database.
    #[arg(long)]
    stored: bool,
    #[command(flatten)]
    once: OnceArguments,
    /// Measure few repetitions, to test that everything works.
    #[arg(long)]
    quick: bool,
}

impl Arguments {
    /// Runs the requested measurements. A dictionary is measured with more keys than its maximum
    /// ([`About::most_keys`]) only if the command line names it.
    pub fn run(&self) -> Outcome<()> {
        if let (Some(once), Some(store)) = (self.once.once, &self.once.store) {
            let keys = self.keys.first().copied().unwrap_or(1);
            let bytes = once.run(store, keys)?;
            return Ok(writeln!(stdout(), "{bytes}")?);
        }
        // Libraries that would use all cores run on one thread.
        rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build_global()?;
        let effort = if self.quick {
            Effort::QUICK
        } else {
            Effort::FULL
        };
        for &keys in &self.keys {
            if self.stored {
                writeln!(stdout(), "{}", stored::measure(keys, effort)?)?;
                continue;
            }
            for contender in CONTENDERS {
                let about = (contender.about)();
                let is_named = self.peer.iter().any(|name| name == about.name);
                let is_asked = self.peer.is_empty() && keys <= about.most_keys;
                if is_named || is_asked {
                    (contender.measure)(keys, effort, &mut print)?;
                }
            }
        }
        Ok(())
    }
}

fn print(row: &Row) -> Outcome<()> {
    Ok(writeln!(stdout(), "{}", serde_json::to_string(row)?)?)
}

/// One of the measured dictionaries.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    /// Function that describes the dictionary.
    pub about: fn() -> About,
    /// Function that measures the dictionary.
    pub measure: fn(u64, Effort, Emit<'_>) -> Outcome<()>,
}

impl Contender {
    const fn of<P: Peer>() -> Self {
        Self {
            about: P::about,
            measure: measure::<P>,
        }
    }
}

/// All measured dictionaries, in the order of their measurements.
pub const CONTENDERS: &[Contender] = &[
    Contender::of::<Tree<RedBlackPathCopying<Sha256Ed25519>>>(),
    Contender::of::<Tree<RedBlackCacheEverywhere<Sha256Ed25519>>>(),
    Contender::of::<Tree<TreapPathCopying<Sha256Ed25519>>>(),
    Contender::of::<Tree<TreapCacheEverywhere<Sha256Ed25519>>>(),
    Contender::of::<Jellyfish>(),
    Contender::of::<Sparse>(),
    Contender::of::<Mono>(),
    Contender::of::<Patricia>(),
    Contender::of::<Trie>(),
    Contender::of::<SortedLeaves>(),
    Contender::of::<SignedRows>(),
    Contender::of::<Accumulated<true>>(),
    Contender::of::<Accumulated<false>>(),
    Contender::of::<Bilinear>(),
    Contender::of::<Counted>(),
    Contender::of::<Auditable>(),
];

/// Returns the names of all measured dictionaries.
pub fn names() -> Vec<&'static str> {
    CONTENDERS
        .iter()
        .map(|contender| (contender.about)().name)
        .collect()
}
