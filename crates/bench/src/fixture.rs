//! What the criterion benches measure on: small trees, built and checked once.

use std::{fmt::Display, ops::Range};

use pad_core::{Answer, Key, Repository, Suite, Update, Version};
use pad_tree::{Authenticated, BalancingScheme, PathCopying, TreeRepository};

use crate::{
    dictionary::{Store, check_answers, new_author, new_repository, publish},
    primitives::signing_key,
    workload::{Random, Workload, key, value},
};

/// The tree over path copying.
pub type Tree<S, B> = TreeRepository<S, PathCopying<Authenticated<S>, B>>;

/// The updates of a growing dictionary, one key each.
pub fn updates<S: Suite, B: BalancingScheme>(keys: u64) -> Vec<Update<S>> {
    let workload = Workload::growing(keys);
    let mut author = new_author::<Tree<S, B>>(signing_key());
    let publish = |version| publish(&mut author, workload.operations(version));
    let updates: Result<Vec<_>, _> = (1..=keys).map(publish).collect();
    updates.expect("bench: a key in memory signs")
}

/// A repository that applied these updates.
pub fn repository<S: Suite, St: Store<S>>(updates: &[Update<S>]) -> TreeRepository<S, St> {
    let mut repository: TreeRepository<S, St> = new_repository();
    for update in updates {
        let applied = repository.apply(update);
        applied.expect("bench: the author's updates apply");
    }
    repository
}

/// Random present keys of a growing dictionary in these versions. Each answer has been proved and verified.
pub fn checked_queries<S: Suite, St: Store<S>>(
    repository: &TreeRepository<S, St>,
    versions: Range<u64>,
    number: usize,
) -> Vec<(Version, Key)> {
    let mut random = Random::new(7);
    let query = |_| {
        let version = versions.start + random.below(versions.end - versions.start);
        let index = random.below(version);
        let (version, key) = (Version::new(version), key(index));
        let expected = (version, key.clone(), Answer::Present(value(index)));
        check_answers(repository, [expected]).expect("bench: honest proofs verify");
        (version, key)
    };
    (0..number).map(query).collect()
}

/// A benchmark's id, for example `scheme=red_black store=cache_median keys=10000`.
pub fn id(parameters: &[(&str, &dyn Display)]) -> String {
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}").replace('-', "_"))
        .collect();
    parameters.join(" ")
}
