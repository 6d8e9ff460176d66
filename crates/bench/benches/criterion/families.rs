//! All families on the same work, in one group for each role: updates of one key in a dictionary of so many.
//!
//! Sizes are 10^3, 10^4 and 10^5 keys. Where one set-up would take longer than seconds, there are fewer: designs with BLS signatures
//! stop at 10^4 (a signature for each tuple), those with accumulators at 10^3 (a witness for each), counted logs at 10^4; frontier logs
//! have 64 entries, because each has 512 powers and thousands of terms. `bench compare` measures the same by the same functions.

use std::{
    cell::{LazyCell, RefCell},
    hint::black_box,
    time::Duration,
};

use bench::{
    Outcome,
    fixture::id,
    measure::{
        Loaded,
        contenders::{Visitor, visit},
        lookups::Age,
        roles::Roles,
    },
    secret,
    workload::Random,
};
use comparison::{Scheme, SchemeFamily, Work as _, Workload, schemes};
use criterion::{BatchSize, Criterion, Throughput};

use crate::{Each, bytes::Bytes, is_test, measure};

/// Each role a group, every scheme in each.
pub(crate) fn roles(criterion: &mut Criterion) {
    each_size(|scheme, keys| {
        let timed = Timed {
            criterion,
            scheme,
            keys,
        };
        visit(scheme.name, timed).expect("bench: the scheme is listed");
    });
}

/// The bytes of updates and proofs.
pub(crate) fn sizes(criterion: &mut Criterion<Bytes>) {
    each_size(|scheme, keys| {
        let sent = Sent {
            criterion,
            scheme,
            keys,
        };
        visit(scheme.name, sent).expect("bench: the scheme is listed");
    });
}

fn each_size(mut bench: impl FnMut(&'static Scheme, u64)) {
    secret::reserve(ACCUMULATED);
    for scheme in schemes() {
        let sizes = if is_test() {
            &[TRIED]
        } else {
            sizes_of(scheme)
        };
        for keys in sizes {
            bench(scheme, *keys);
        }
    }
}

/// The keys where everything runs once, to see that it works.
const TRIED: u64 = 64;
/// The most keys of designs with accumulators.
const ACCUMULATED: u64 = 1_000;

fn sizes_of(scheme: &Scheme) -> &'static [u64] {
    match (scheme.family, scheme.name) {
        (SchemeFamily::AccumulatedTuples, _) => &[ACCUMULATED],
        (_, "aad-frontier") => &[64],
        (SchemeFamily::Log, _) => &[1_000, 10_000],
        (_, name) if name.ends_with("-bls") => &[1_000, 10_000],
        _ => &[1_000, 10_000, 100_000],
    }
}

/// A loaded dictionary whose answers a client has checked, and the work that goes on.
struct Prepared<T: Roles> {
    loaded: Loaded<T>,
    work: Workload,
    /// The author's next version.
    version: u64,
}

impl<T: Roles> Prepared<T> {
    fn new(scheme: &Scheme, keys: u64, start: &impl Fn(u64) -> Outcome<T>) -> Outcome<Self> {
        let work = Workload::updates(keys, 1, 1);
        let loaded = Loaded::new(&work, Duration::MAX, start(work.most_entries())?)?;
        loaded.lookups((scheme, &work)).check()?;
        Ok(Self {
            loaded,
            work,
            version: 2,
        })
    }

    fn changes(&mut self) -> T::Changes {
        let operations = self.work.operations(self.version);
        self.version += 1;
        let changes = self.loaded.run.roles.prepare(operations);
        changes.expect("bench: the scheme can update keys")
    }

    fn publish(&mut self, changes: T::Changes) -> T::Update {
        let update = self.loaded.run.roles.publish(changes);
        update.expect("bench: a key in memory signs")
    }

    fn apply(&mut self, update: &T::Update) {
        let applied = self.loaded.run.roles.apply(update);
        applied.expect("bench: the author's updates apply");
    }
}

struct Timed<'a> {
    criterion: &'a mut Criterion,
    scheme: &'static Scheme,
    keys: u64,
}

impl Visitor for Timed<'_> {
    type Output = ();

    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) {
        let Self {
            criterion,
            scheme,
            keys,
        } = self;
        // Made when the first bench runs that is asked for.
        let prepared = LazyCell::new(|| {
            let prepared = Prepared::new(scheme, keys, &start);
            RefCell::new(prepared.expect("bench: honest proofs verify"))
        });
        let name = id(&[("scheme", &scheme.name), ("keys", &keys)]);
        let each = Each(Throughput::Elements(1), 20);
        measure(criterion, "server/prove", &name, each.clone(), |bencher| {
            let Prepared { loaded, work, .. } = &*prepared.borrow();
            let lookups = loaded.lookups((scheme, work));
            let questions = lookups.questions(&mut Random::new(7), Age::Latest, QUESTIONS);
            let mut next = questions.iter().cycle();
            bencher.iter(|| {
                let (version, question) = next.next().expect("bench: a cycle has no end");
                black_box(lookups.roles.prove(*version, question).is_ok())
            });
        });
        measure(criterion, "client/verify", &name, each.clone(), |bencher| {
            let Prepared { loaded, work, .. } = &*prepared.borrow();
            let lookups = loaded.lookups((scheme, work));
            let head = lookups.roles.head(lookups.roles.latest());
            let head = head.expect("bench: the head is the author's");
            let questions = lookups.questions(&mut Random::new(7), Age::Latest, QUESTIONS);
            let mut next = questions.iter().cycle();
            let proof = || {
                let (version, question) = next.next().expect("bench: a cycle has no end");
                (lookups.roles.prove(*version, question), question)
            };
            let verify = |(proof, question): (Outcome<T::Proof>, &T::Question)| {
                let proof = proof.expect("bench: the version exists");
                let answer = lookups.verify(&head, proof, question);
                answer.expect("bench: honest proofs verify")
            };
            bencher.iter_batched(proof, verify, BatchSize::SmallInput);
        });
        measure(criterion, "server/apply", &name, each.clone(), |bencher| {
            let update = || {
                let mut prepared = prepared.borrow_mut();
                let changes = prepared.changes();
                prepared.publish(changes)
            };
            let apply = |update| {
                prepared.borrow_mut().apply(&update);
                update
            };
            bencher.iter_batched(update, apply, BatchSize::LargeInput);
        });
        // Last: the server does not get these.
        measure(criterion, "author/snapshot", &name, each, |bencher| {
            let changes = || prepared.borrow_mut().changes();
            let publish = |changes| prepared.borrow_mut().publish(changes);
            bencher.iter_batched(changes, publish, BatchSize::LargeInput);
        });
    }
}

/// The questions that are asked one after the other.
const QUESTIONS: usize = 256;

struct Sent<'a> {
    criterion: &'a mut Criterion<Bytes>,
    scheme: &'static Scheme,
    keys: u64,
}

impl Visitor for Sent<'_> {
    type Output = ();

    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) {
        let (scheme, keys) = (self.scheme, self.keys);
        let prepared = LazyCell::new(|| {
            let prepared = Prepared::new(scheme, keys, &start);
            RefCell::new(prepared.expect("bench: honest proofs verify"))
        });
        let name = |what: &str| id(&[("scheme", &scheme.name), ("keys", &keys), ("of", &what)]);
        let mut group = self.criterion.benchmark_group("bytes");
        group.sample_size(10);
        group.bench_function(name("proof"), |bencher| {
            let Prepared { loaded, work, .. } = &*prepared.borrow();
            let lookups = loaded.lookups((scheme, work));
            let questions = lookups.questions(&mut Random::new(7), Age::Latest, QUESTIONS);
            let mut next = questions.iter().cycle();
            bencher.iter_custom(|proofs| {
                let bytes = |(version, question): &(_, T::Question)| {
                    let proof = lookups.roles.prove(*version, question);
                    lookups
                        .roles
                        .proof_bytes(&proof.expect("bench: the version exists"))
                };
                next.by_ref()
                    .take(usize::try_from(proofs).unwrap_or(0))
                    .map(bytes)
                    .sum()
            });
        });
        group.bench_function(name("update"), |bencher| {
            bencher.iter_custom(|updates| {
                let mut prepared = prepared.borrow_mut();
                let mut bytes = |_| {
                    let changes = prepared.changes();
                    let update = prepared.publish(changes);
                    prepared.loaded.run.roles.update_bytes(&update)
                };
                (0..updates).map(&mut bytes).sum()
            });
        });
        group.finish();
    }
}
