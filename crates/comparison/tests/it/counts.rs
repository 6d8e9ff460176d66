//! What schemes do, counted: a change that makes one of them hash, sign or send more or less shows here, whatever the machine.

use core::fmt::Write as _;
use std::time::Duration;

use comparison::{
    Loaded, Outcome, Scheme, Work as _, Workload,
    contenders::{Counting, Visitor, visit_in},
    counting::HashCounts,
    cryptography::Cryptography,
    lookups::Age,
    roles::Roles,
    schemes, secret,
    workload::Random,
};

/// The committed table. After a change that is meant, replace it by the one that the failing test prints.
const EXPECTED: &str = include_str!("counts.txt");

/// The keys, the measured snapshots, and the changes of each.
const WORK: (u64, u64, u64) = (60, 10, 3);
/// The look-ups.
const LOOKUPS: usize = 20;

/// Sums over all snapshots, or over all look-ups.
#[derive(Default)]
struct Counts {
    author: [f64; 2],
    server: [f64; 2],
    client: [f64; 2],
    update_bytes: usize,
    proof_bytes: usize,
}

impl Counts {
    /// Hashes and signatures of some work on this thread.
    fn of<R>(sum: &mut [f64; 2], work: impl FnOnce() -> R) -> R {
        let (hashes, (cryptography, result)) = HashCounts::of(1, || Cryptography::of(work));
        sum[0] += hashes.total();
        sum[1] += cryptography.signatures;
        result
    }
}

struct Count<'a>(&'a Scheme);

impl Visitor for Count<'_> {
    type Output = Outcome<Counts>;

    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) -> Outcome<Counts> {
        let (keys, snapshots, changes) = WORK;
        let work = Workload::updates(keys, snapshots, changes);
        let mut loaded = Loaded::new(&work, Duration::MAX, start(work.most_entries())?)?;
        let mut counts = Counts::default();
        for version in 2..=work.versions() {
            let operations = work.operations(version);
            loaded.contents.apply(&operations);
            let roles = &mut loaded.run.roles;
            let changes = roles.prepare(operations)?;
            let update = Counts::of(&mut counts.author, || roles.publish(changes))?;
            counts.update_bytes += roles.update_bytes(&update);
            Counts::of(&mut counts.server, || roles.apply(&update))?;
        }
        let lookups = loaded.lookups((self.0, &work));
        lookups.check()?;
        let head = lookups.roles.head(lookups.roles.latest())?;
        for (version, question) in lookups.questions(&mut Random::new(7), Age::Latest, LOOKUPS) {
            let proof = lookups.roles.prove(version, &question)?;
            counts.proof_bytes += lookups.roles.proof_bytes(&proof);
            let verify = || lookups.roles.verify(&head, proof, &question);
            Counts::of(&mut counts.client, verify)?;
        }
        Ok(counts)
    }
}

#[test]
fn every_scheme_does_what_it_did() {
    secret::reserve(200);
    let (keys, snapshots, changes) = WORK;
    let mut table = format!(
        "{keys} keys, {snapshots} snapshots of {changes} new values, {LOOKUPS} look-ups: sums. Hashes of suites, on one thread; logs hash \
         without a suite.\n\n{:<40}{:>8}{:>8}{:>8}{:>11}{:>8}{:>8}\n",
        "scheme", "author", "server", "client", "signatures", "update", "proof"
    );
    for scheme in schemes() {
        let counts = visit_in::<Counting, _>(scheme.name, Count(scheme));
        let counts = counts.expect("it is listed");
        let counts = counts.unwrap_or_else(|error| panic!("{}: {error}", scheme.name));
        let Counts {
            author: [author, signatures],
            server: [server, _],
            client: [client, _],
            update_bytes,
            proof_bytes,
        } = counts;
        _ = writeln!(
            table,
            "{:<40}{author:>8}{server:>8}{client:>8}{signatures:>11}{update_bytes:>8}{proof_bytes:>8}",
            scheme.name
        );
    }
    assert!(table == EXPECTED, "\n{table}");
}
