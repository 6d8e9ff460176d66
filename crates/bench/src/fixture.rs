//! What the criterion benches measure on: small repositories, built and checked once.

use pad_core::{Key, Repository, SnapshotHead, Suite, Untrusted, Update, Verified, Version};
use pad_tree::{Answer, Authenticated, BalancingScheme, TreeProof, TreeRepository, VersionedStore};

use crate::{
    author::{new_author, publish},
    primitives::signing_key,
    server::authority,
    workload::{Random, Workload, key, value},
};

/// The updates of a growing dictionary, one key each.
pub fn updates<S: Suite, B: BalancingScheme>(keys: u64) -> Vec<Update<S>> {
    let workload = Workload::growing(keys);
    let mut author = new_author::<S, B, _>(signing_key());
    let publish = |version| publish(&mut author, workload.operations(version));
    let updates: Result<Vec<_>, _> = (1..=keys).map(publish).collect();
    updates.expect("bench: a key in memory signs")
}

/// A repository that applied these updates.
pub fn repository<S: Suite, St>(updates: &[Update<S>]) -> TreeRepository<S, St>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let mut repository = TreeRepository::new(authority::<S, St::Scheme>());
    for update in updates {
        repository
            .apply(update)
            .expect("bench: the author's updates apply");
    }
    repository
}

/// Which versions are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// The latest only.
    Latest,
    /// Any but the latest.
    Old,
}

impl Age {
    /// The name in benchmark ids.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::Old => "old",
        }
    }
}

/// Random present keys of a growing dictionary. Each answer has been proved and verified.
pub fn checked_queries<S: Suite, St>(
    repository: &TreeRepository<S, St>,
    age: Age,
    number: usize,
) -> Vec<(Version, Key)>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let (mut random, latest) = (Random::new(7), repository.latest().number());
    let query = |_| {
        let version = match age {
            Age::Latest => latest,
            Age::Old => 1 + random.below(latest - 1),
        };
        let index = random.below(version);
        let (version, key) = (Version::new(version), key(index));
        let (_, proof) = checked_proof(repository, version, &key, index);
        drop(proof);
        (version, key)
    };
    (0..number).map(query).collect()
}

/// A proof of the key with this index, once verified, and the head that it was checked against.
pub fn checked_proof<S: Suite, St>(
    repository: &TreeRepository<S, St>,
    version: Version,
    key: &Key,
    index: u64,
) -> (Verified<SnapshotHead<S>>, Untrusted<TreeProof<S, Key>>)
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let head = Untrusted::new(repository.head(version).expect("bench: the version exists"));
    let head = head
        .verify(repository.authority(), &version)
        .expect("bench: the head is signed");
    let proof = Untrusted::new(
        repository
            .prove(version, key)
            .expect("bench: the version exists"),
    );
    let lookup = proof
        .clone()
        .verify(&head, key)
        .expect("bench: honest proofs verify");
    assert_eq!(
        lookup.get().answer,
        Answer::Present(value(index)),
        "{version} {key}"
    );
    (head, proof)
}

/// A benchmark's id, for example `scheme=red_black store=cache_median keys=10000`.
pub fn id(parameters: &[(&str, &dyn std::fmt::Display)]) -> String {
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}").replace('-', "_"))
        .collect();
    parameters.join(" ")
}
