//! Checks with honest logs. Answers agree with a plain list of entries, every version contains the
//! older versions, and clients advance.

use pad_accumulators::wire;
use pad_core::{DecodeError, Key, LookupError, Repository as _, Value, Verified, Version, codec};
use pad_log::{
    AppendError, AppendOnlyProof, Entry, Grown, Growth, Included, InclusionProof, LONGEST_LOOKUP,
    LONGEST_PROOF, Log, LogClient, LogRefusal, internals::Contents,
};

use super::{
    Lookups, Roles,
    roles::{KEYS, advance, client, key, past, public, random_entry},
    verify,
};
use crate::Random;

/// The sizes of a random log and of its check.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Number of versions of a log.
    pub versions: u64,
    /// Maximum number of entries that a version adds.
    pub most: u64,
    /// Number of random questions that the check asks about random versions.
    pub questions: u64,
}

/// Runs all checks of this module on one random log.
pub fn check_log<S: Lookups>(log: &Log<S>, work: Work, seed: u64) {
    let mut random = Random::new(seed);
    let roles = Roles::random(log, work.versions, work.most, &mut random);
    check_answers(&roles, work.questions, &mut random);
    check_every_version(&roles);
    check_growths(&roles);
    check_client(&roles, &mut random);
    check_refusals(roles);
}

/// Checks that answers to random questions about random versions agree with the reference list
/// ([`Roles::list`]).
fn check_answers<S: Lookups>(roles: &Roles<S>, questions: u64, random: &mut Random) {
    for _ in 0..questions {
        let version = random.below(roles.latest() + 1);
        check_look_up(roles, version, &key(random.below(KEYS + 2)));
        check_inclusion(roles, version, &random_entry::<S>(random));
        check_growth(roles, random.below(version + 1), version);
    }
    for number in 0..KEYS + 2 {
        let (key, latest) = (key(number), roles.latest());
        let pending: Vec<Value> = roles.author.values(key.as_bytes()).cloned().collect();
        assert_eq!(pending, roles.values(latest, &key));
    }
}

/// Checks answers in every version. The questions are about the first and the last entry of the
/// list, and about a key in no version.
fn check_every_version<S: Lookups>(roles: &Roles<S>) {
    assert_eq!(roles.at(0).root(), roles.server.entries().digest(0));
    for version in 0..=roles.latest() {
        let first = roles.list.first().into_iter();
        for entry in first.chain(roles.list.last()) {
            check_look_up(roles, version, &entry.key);
            check_inclusion(roles, version, entry);
        }
        check_look_up(roles, version, &key(KEYS));
    }
}

/// Checks the proofs that every version contains every older version. The pairs include each
/// version with itself and with the empty version.
fn check_growths<S: Lookups>(roles: &Roles<S>) {
    for to in 0..=roles.latest() {
        for from in 0..=to {
            check_growth(roles, from, to);
        }
        for newer in to + 1..=roles.latest() {
            let (older, newer) = (Version::new(to), Version::new(newer));
            let backwards = roles.server.prove_append_only(newer, older);
            assert_eq!(backwards.unwrap_err(), LookupError::InvalidQuery);
        }
    }
}

/// Checks that the answer about a key in a version agrees with the reference list
/// ([`Roles::list`]).
pub fn check_look_up<S: Lookups>(roles: &Roles<S>, version: u64, key: &Key) {
    let at = roles.at(version);
    let expected = S::statement(&at, key, roles.values(version, key));
    let proof = roles.server.prove(Version::new(version), key);
    let answer = proof.map(|proof| verify::<S::Lookup>(&wire::encode(&proof), &at, key).unwrap());
    match expected {
        Some(expected) => assert_eq!(answer, Ok(expected)),
        None => assert_eq!(answer, Err(LookupError::InvalidQuery)),
    }
}

/// Checks that inclusion of an entry in a version can be proved if and only if the reference list
/// ([`Roles::list`]) contains it in that version.
pub fn check_inclusion<S: Lookups>(roles: &Roles<S>, version: u64, entry: &Entry) {
    let at = roles.at(version);
    let position = roles.contents(version).iter().position(|it| it == entry);
    let proof = roles.server.prove_inclusion(Version::new(version), entry);
    let included =
        proof.map(|proof| verify::<InclusionProof<S>>(&wire::encode(&proof), &at, entry).unwrap());
    let expected = position.map(|position| Included {
        dictionary: at.log().dictionary(),
        version: at.version(),
        entry: entry.clone(),
        position: u64::try_from(position).unwrap(),
        occurrence: u64::from(S::CONTENTS == Contents::Dictionary),
    });
    assert_eq!(included, expected.ok_or(LookupError::InvalidQuery));
}

/// Checks the proof that version `to` contains version `from`.
pub fn check_growth<S: Lookups>(roles: &Roles<S>, from: u64, to: u64) {
    let (older, newer) = (Version::new(from), Version::new(to));
    let proof = roles.server.prove_append_only(older, newer).unwrap();
    let growth = Growth::new(roles.at(from), roles.at(to)).unwrap();
    let grown = verify::<AppendOnlyProof<S>>(&wire::encode(&proof), &growth, &()).unwrap();
    let size = |version| u64::try_from(roles.contents(version).len()).unwrap();
    let expected = Grown {
        dictionary: roles.author.log().dictionary(),
        from: older,
        to: newer,
        from_size: size(from),
        to_size: size(to),
    };
    assert_eq!(grown, expected);
}

/// Checks a client that advances by steps of every length, resumes from its stored view, and
/// queries versions that it skipped.
fn check_client<S: Lookups>(roles: &Roles<S>, random: &mut Random) {
    let mut client = client(&roles.server);
    assert_eq!(client.newest().unwrap_err(), LogRefusal::NoHeadSeen);
    let mut version = 0;
    while version < roles.latest() {
        version += 1 + random.below((roles.latest() - version).min(3));
        // The head of the current version, offered again, does not change the client.
        for _ in 0..2 {
            let followed = advance(&mut client, &roles.server, version);
            assert_eq!(followed, Ok(Version::new(version)));
        }
        let newest = client.newest().unwrap();
        assert_eq!(newest.root(), roles.at(version).root());
        let stored = codec::encode(client.view());
        let view = codec::decode(&stored, stored.len()).unwrap();
        client = LogClient::resume(client.log().clone(), public(), view).unwrap();
        assert_eq!(client.version(), Version::new(version));
    }
    for version in 1..version {
        check_past(&client, roles, version);
    }
}

fn check_past<S: Lookups>(client: &LogClient<S>, roles: &Roles<S>, version: u64) {
    let at = past(client, &roles.server, version).unwrap();
    assert_eq!(at.version().number(), version);
    assert_eq!(at.root(), roles.at(version).root());
    let absent = key(KEYS);
    let proof = roles.server.prove(at.version(), &absent).unwrap();
    let answer = client.check::<S::Lookup>(&wire::encode(&proof), LONGEST_LOOKUP, &at, &absent);
    let answer = answer.map(Verified::into_inner).unwrap();
    assert_eq!(Some(answer), S::statement(&at, &absent, Vec::new()));
    let Some(entry) = roles.contents(version).last() else {
        return;
    };
    let proof = roles.server.prove_inclusion(at.version(), entry).unwrap();
    let proof = wire::encode(&proof);
    let included = client.check::<InclusionProof<S>>(&proof, LONGEST_PROOF, &at, entry);
    assert_eq!(included.unwrap().get().entry, *entry);
    let limit = proof.len() - 1;
    let short = client.check::<InclusionProof<S>>(&proof, limit, &at, entry);
    let expected = LogRefusal::Decode(DecodeError::TooLarge { limit });
    assert_eq!(short.unwrap_err(), expected);
}

/// Checks that a set refuses members that it already contains, and members with values. Also checks
/// that an empty version keeps the root, and that unknown versions are refused.
fn check_refusals<S: Lookups>(mut roles: Roles<S>) {
    let (root, present) = (roles.at(roles.latest()).root(), roles.list[0].clone());
    if S::CONTENTS == Contents::Set {
        let refused = roles.author.append(present.clone()).unwrap_err();
        assert_eq!(refused, AppendError::MemberPresent);
        let (key, value) = (key(KEYS), Value::try_from("value").unwrap());
        let with_value = Entry { key, value };
        let refused = roles.author.append(with_value).unwrap_err();
        assert_eq!(refused, AppendError::MemberWithValue);
    }
    // A version without new entries has the contents of the previous version.
    roles.publish();
    assert_eq!(roles.at(roles.latest()).root(), root);
    check_growth(&roles, roles.latest() - 1, roles.latest());
    let (version, latest) = (Version::new(roles.latest() + 1), roles.server.latest());
    let refused = roles.server.prove_inclusion(version, &present).unwrap_err();
    assert_eq!(refused, LookupError::UnknownVersion { version, latest });
}
