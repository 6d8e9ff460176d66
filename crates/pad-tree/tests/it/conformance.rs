//! Every tree PAD under the shared checks, on random traces compared with the oracle.

use pad_conformance::{
    TreePad, dictionary, repository, soak, traces,
    tree::{self, check_failing_signer},
};
use pad_core::{Blake3Ed25519, Paper2010, Sha256Ed25519};
use pad_tree::{RedBlack, SkipList, Treap, TreeAuthor, internals::BalancingScheme};

macro_rules! conformance {
    ($name:ident, $scheme:ty, $($repository:tt)+) => {
        mod $name {
            use super::*;

            type Suite = Sha256Ed25519;
            type Store = StoreOf<$($repository)+<Suite>>;
            type Pad = TreePad<Suite, Store>;

            #[test]
            fn every_answer_matches_the_oracle_at_every_version() {
                let name = concat!(stringify!($name), "::oracle");
                traces::check_traces(name, 1, 40, tree::check_trace::<Suite, Store>);
            }

            #[test]
            fn refused_updates_change_nothing() {
                let name = concat!(stringify!($name), "::refusals");
                repository::check_refusals::<Pad>(&[]);
                traces::check_traces(name, 9, 30, repository::check_refusals::<Pad>);
            }

            #[test]
            fn pruning_keeps_later_versions() {
                let percents = [30, 100, 0, 60];
                for percent in &percents[..soak::size(2, 4)] {
                    let name = format!("{}::prune {percent}%", stringify!($name));
                    traces::check_traces(&name, 18, 60, |actions| {
                        tree::check_prune::<Suite, Store>(actions, *percent);
                    });
                }
            }

            #[test]
            fn authors_resume_and_go_on() {
                let name = concat!(stringify!($name), "::resume");
                traces::check_traces(name, 9, 40, tree::check_resume::<Suite, Store>);
            }
        }
    };
}

macro_rules! suites {
    ($name:ident, $scheme:ty, $($repository:tt)+) => {
        #[test]
        fn $name() {
            type Blake3 = StoreOf<$($repository)+<Blake3Ed25519>>;
            type Paper = StoreOf<$($repository)+<Paper2010>>;
            let name = concat!(stringify!($name), "::suites");
            traces::check_traces(name, 30, 40, tree::check_trace::<Blake3Ed25519, Blake3>);
            traces::check_traces(name, 30, 40, tree::check_trace::<Paper2010, Paper>);
            traces::check_traces(name, 30, 40, |actions| {
                repository::check_trace::<TreePad<Paper2010, Paper>>(actions);
            });
        }
    };
}

/// The other suites under every scheme and over every store.
#[cfg(not(soak))]
mod other_suites {
    use super::*;

    suites!(treap_path_copying, Treap, pad_tree::TreapPathCopying);
    suites!(
        red_black_cache_nowhere,
        RedBlack,
        pad_tree::RedBlackCacheNowhere
    );
    suites!(
        skip_list_cache_median,
        SkipList,
        pad_tree::SkipListCacheMedian
    );
    suites!(
        treap_cache_everywhere,
        Treap,
        pad_tree::TreapCacheEverywhere
    );
}

/// The other suites under every scheme over every store: another eight take a minute to compile.
#[cfg(soak)]
mod other_suites {
    use super::*;

    pad_tree::for_each_tree!(suites);
}

/// The store of a repository.
pub(crate) trait HasStore {
    type Store;
}

impl<S, St> HasStore for pad_tree::TreeRepository<S, St>
where
    S: pad_core::Suite,
    St: pad_tree::internals::VersionedStore,
{
    type Store = St;
}

pub(crate) type StoreOf<R> = <R as HasStore>::Store;

pad_tree::for_each_tree!(conformance);

macro_rules! authors {
    ($($name:ident: $scheme:ty;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn the_open_contents_match_the_oracle() {
                let name = concat!(stringify!($name), "::author");
                traces::check_traces(name, 1, 80, |actions| {
                    dictionary::check_matches_oracle(&mut new_author::<$scheme>(), actions);
                });
            }

            #[test]
            fn batches_equal_single_calls() {
                let name = concat!(stringify!($name), "::batches");
                traces::check_traces(name, 1, 80, tree::check_batches::<Sha256Ed25519, $scheme>);
            }

            #[test]
            fn a_failing_signer_loses_nothing() {
                check_failing_signer::<Sha256Ed25519, $scheme>();
            }
        }
    )*};
}

authors! {
    treap: Treap;
    red_black: RedBlack;
    skip_list: SkipList;
}

fn new_author<B: BalancingScheme>() -> TreeAuthor<Sha256Ed25519, B, ed25519_dalek::SigningKey> {
    tree::tree_author(pad_conformance::pad::dictionary(), 7)
}
