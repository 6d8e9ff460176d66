//! Operation counts of all schemes, independent of the machine.
//!
//! A change in the number of hashes, signatures, reads, group operations or bytes fails this test.

use core::{fmt::Write as _, num::NonZeroUsize};
use std::{env, process::Command, time::Duration};

use bench::{
    Outcome,
    counting::{CountingSuite, hashes_of},
    cryptography::Cryptography,
    measure::{
        LoadedRun,
        contenders::{Visitor, visit_in},
        lookups::Age,
        roles::Roles,
    },
    secret,
    workload::Random,
};
use bls12::signatures::BlsSecretKey;
use comparison::{Place, Scheme, Work as _, Workload, schemes};
use pad_conformance::soak;
use pad_core::{Sha256Ed25519, Workers};
use pad_tree::internals::Counted;
use rsa_group::{ModularGroup as _, ResidueGroup};
use rug::Integer;

/// The committed tables. After an intended change, replace them by the output of the failing test.
const EXPECTED: &str = include_str!("counts.txt");

/// Number of keys, of measured snapshots, and of changes in each.
const WORK: (u64, u64, u64) = (20, 6, 2);
/// Number of look-ups.
const LOOKUPS: usize = 10;

/// Work of a role, summed over all snapshots or over all look-ups.
#[derive(Default)]
struct WorkCounts {
    hashes: u64,
    signatures: f64,
    reads: [usize; 2],
    arithmetic: [usize; 8],
}

impl WorkCounts {
    /// Adds the counts of `work`: hashes, signatures and reads of this thread, arithmetic of all.
    fn add<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let before = (reads_so_far(), arithmetic());
        let (cryptography, (hashes, result)) = Cryptography::of(|| hashes_of(work));
        self.hashes += hashes;
        self.signatures += cryptography.signatures;
        add_difference(&mut self.reads, before.0, reads_so_far());
        add_difference(&mut self.arithmetic, before.1, arithmetic());
        result
    }
}

fn add_difference<const N: usize>(sums: &mut [usize; N], before: [usize; N], after: [usize; N]) {
    for ((sum, before), after) in sums.iter_mut().zip(before).zip(after) {
        *sum += after - before;
    }
}

/// Returns the reads from trees by this thread so far: inner nodes, and digests.
fn reads_so_far() -> [usize; 2] {
    Counted::ALL.map(Counted::so_far)
}

/// Returns the group operations of this process so far.
fn arithmetic() -> [usize; 8] {
    let [powers, bits, products, by_factors] =
        rsa_group::count::Counted::ALL.map(rsa_group::count::Counted::so_far);
    let [multiples, sums, terms, pairings] =
        bls12::count::Counted::ALL.map(bls12::count::Counted::so_far);
    [
        powers, bits, products, by_factors, multiples, sums, terms, pairings,
    ]
}

#[derive(Default)]
struct Counts {
    author: WorkCounts,
    /// Applying updates.
    server: WorkCounts,
    /// Proving answers of the latest version.
    prover: WorkCounts,
    /// Proving answers of all versions, if the scheme can.
    old: WorkCounts,
    client: WorkCounts,
    update_bytes: usize,
    proof_bytes: usize,
}

impl Counts {
    fn roles(&self) -> [(&'static str, &WorkCounts); 5] {
        [
            ("author", &self.author),
            ("server", &self.server),
            ("prover", &self.prover),
            ("old", &self.old),
            ("client", &self.client),
        ]
    }
}

struct Count<'a>(&'a Scheme);

impl Visitor for Count<'_> {
    type Output = Outcome<Counts>;

    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) -> Outcome<Counts> {
        let (keys, snapshots, changes) = WORK;
        let work = Workload::updates(keys, snapshots, changes);
        let mut loaded = LoadedRun::new(&work, Duration::MAX, start(work.most_entries())?)?;
        let mut counts = Counts::default();
        for version in 2..=work.versions() {
            let operations = work.operations(version);
            loaded.contents.apply(&operations);
            let roles = &mut loaded.run.roles;
            let changes = roles.prepare(operations)?;
            let update = counts.author.add(|| roles.publish(changes))?;
            counts.update_bytes += roles.update_bytes(&update);
            counts.server.add(|| roles.apply(&update))?;
        }
        let lookups = loaded.lookups(self.0);
        lookups.check()?;
        let roles = lookups.roles;
        let head = roles.head(roles.latest())?;
        for (version, question) in lookups.questions(&mut Random::new(7), Age::Latest, LOOKUPS) {
            let proof = counts.prover.add(|| roles.prove(version, &question))?;
            counts.proof_bytes += roles.proof_bytes(&proof);
            counts
                .client
                .add(|| roles.verify(&head, proof, &question))?;
        }
        if self.0.properties.proves_any_old_version {
            for (version, question) in lookups.questions(&mut Random::new(8), Age::Any, LOOKUPS) {
                counts.old.add(|| roles.prove(version, &question))?;
            }
        }
        Ok(counts)
    }
}

/// A scheme that takes longer than all others together. Only the soak test counts its work.
const SLOW: &str = "aad-frontier";

/// Counts the work of every scheme in memory, except `omitted`. Stores do the same counted work.
fn count_all(omitted: Option<&str>) -> Vec<(&'static str, Counts)> {
    let count = |scheme: &'static Scheme| {
        let counts = visit_in::<CountingSuite<Sha256Ed25519>, _>(scheme.name, Count(scheme))
            .expect("it is listed");
        let counts = counts.unwrap_or_else(|error| panic!("{}: {error}", scheme.name));
        (scheme.name, counts)
    };
    let is_counted =
        |scheme: &&Scheme| scheme.place == Place::Memory && omitted != Some(scheme.name);
    schemes().iter().filter(is_counted).map(count).collect()
}

/// Returns the committed tables without the lines of a scheme.
fn expected(omitted: Option<&str>) -> String {
    let is_kept = |line: &&str| omitted.is_none_or(|name| !line.starts_with(&format!("{name} ")));
    EXPECTED.split_inclusive('\n').filter(is_kept).collect()
}

/// Formats a table of numbers. Leaves out rows that are all 0.
fn table(title: &str, columns: &str, rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let columns = columns.split(',').map(str::to_owned).collect();
    let head = ("scheme".to_owned(), columns);
    let rows = rows.filter(|(_, numbers)| numbers.iter().any(|number| number != "0"));
    let mut table = format!("{title}\n\n");
    for (name, columns) in core::iter::once(head).chain(rows) {
        _ = write!(table, "{name:<48}");
        for column in columns {
            _ = write!(table, "{column:>11}");
        }
        table.push('\n');
    }
    table
}

/// Formats the table of hashes, signatures and bytes.
fn sizes(all: &[(&str, Counts)]) -> String {
    let title = "Hashes of suites, on one thread; logs hash without a suite. Signatures of the \
        author. Bytes.";
    let columns = "author,server,prover,old,client,signatures,update,proof";
    let row = |(name, counts): &(&str, Counts)| {
        let mut numbers = counts
            .roles()
            .map(|(_, done)| done.hashes.to_string())
            .to_vec();
        numbers.push(counts.author.signatures.to_string());
        numbers.extend([counts.update_bytes, counts.proof_bytes].map(|bytes| bytes.to_string()));
        ((*name).to_owned(), numbers)
    };
    table(title, columns, all.iter().map(row))
}

/// Formats the table of servers' reads of trees.
fn reads(all: &[(&str, Counts)]) -> String {
    let title = "Inner nodes that the server's trees are asked for, and digests. What a store \
        reads by itself shows as hashes.";
    let columns = "server,digests,prover,digests,old,digests";
    let row = |(name, counts): &(&str, Counts)| {
        let reads = [&counts.server, &counts.prover, &counts.old].map(|done| done.reads);
        let numbers = reads.iter().flatten();
        (
            (*name).to_owned(),
            numbers.map(ToString::to_string).collect(),
        )
    };
    // The trees in which tuples are found have no digests, and are not compared.
    let trees = all.iter().filter(|(name, _)| !name.starts_with("tuple-"));
    table(title, columns, trees.map(row))
}

/// Formats the table of group operations.
fn computed(all: &[(&str, Counts)]) -> String {
    let title = "Powers modulo N, the bits of their exponents, products beside them in thousands, \
        and powers by the holder of the factors.\nMultiples of points, sums of multiples, their \
        terms, and pairings.";
    let columns = "powers,bits,products,by factors,multiples,sums,terms,pairings";
    let rows = all.iter().flat_map(|(name, counts)| {
        counts.roles().map(|(role, done)| {
            // A fresh secret changes a few products in a thousand.
            let mut shown = done.arithmetic;
            shown[PRODUCTS] = (shown[PRODUCTS] + 500) / 1_000;
            (
                format!("{name} {role}"),
                shown.map(|it| it.to_string()).to_vec(),
            )
        })
    });
    table(title, columns, rows)
}

/// Index of products in the figures of arithmetic.
const PRODUCTS: usize = 2;

/// Runs an ignored test of this module in a process of its own, with its own counters.
fn run_alone(test: &str) {
    let name = format!("counts::{test}");
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--ignored", &name])
        // Lanes use different operations from scalars, and not every machine has them. Without
        // lanes the counts are the same everywhere.
        .env("PAD_LANES", "off")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn every_scheme_does_what_it_did() {
    run_alone("counted_every_scheme");
}

#[test]
fn threads_count_together() {
    if soak::enabled() {
        run_alone("counted_threads");
    }
}

#[test]
#[ignore = "every_scheme_does_what_it_did runs it in a process of its own"]
fn counted_every_scheme() {
    secret::reserve(200);
    let (keys, snapshots, changes) = WORK;
    let omitted = soak::size(Some(SLOW), None);
    let all = count_all(omitted);
    let tables = format!(
        "{keys} keys, {snapshots} snapshots of {changes} new values, {LOOKUPS} look-ups of the \
            latest and {LOOKUPS} of any version: \
         sums.\n\n{}\n{}\n{}",
        sizes(&all),
        reads(&all),
        computed(&all)
    );
    assert!(tables == expected(omitted), "\n{tables}");
}

#[test]
#[ignore = "threads_count_together runs it in a process of its own"]
fn counted_threads() {
    let workers = Workers::new(NonZeroUsize::new(3).expect("three")).expect("three threads");
    let group = ResidueGroup::new(Integer::from(1019 * 1021));
    let secret = BlsSecretKey::from_seed(&[7; 32]);
    let numbers: Vec<u32> = (1..=200).collect();
    let before = arithmetic();
    workers.map(&numbers, |number| {
        let power = group.power(&Integer::from(4), &Integer::from(*number));
        secret.sign(&group.multiply(&power, &power).to_string().into_bytes());
    });
    let bits: u32 = numbers
        .iter()
        .map(|number| u32::BITS - number.leading_zeros())
        .sum();
    let mut done = arithmetic();
    for (after, before) in done.iter_mut().zip(before) {
        *after -= before;
    }
    assert_eq!(
        done,
        [
            200,
            usize::try_from(bits).expect("few"),
            200,
            0,
            200,
            0,
            0,
            0
        ]
    );
}
