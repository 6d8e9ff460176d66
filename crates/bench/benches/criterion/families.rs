//! All families on the same work, in one group for each role: updates of one key in a dictionary of so many.
//!
//! Sizes are 10^3 and 10^4 keys. Where one set-up would take longer than seconds, there are fewer: designs with BLS signatures (a
//! signature for each tuple), those with accumulators (a witness for each) and counted logs stop at 10^3; frontier logs have 32 entries,
//! because each has 512 powers and thousands of terms. `bench compare` measures the same and more by the same functions.

use std::{
    cell::{LazyCell, RefCell},
    collections::VecDeque,
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
use comparison::{Scheme, SchemeFamily, Work as _, Workload};
use criterion::{BatchSize, Criterion, Throughput};
use pad_core::{Answer, Version};

use crate::{Each, bytes::Bytes, is_test, measure};

/// Each role a group, every scheme in each; and the bytes of updates and proofs.
pub(crate) fn schemes(time: &mut Criterion, bytes: &mut Criterion<Bytes>) {
    secret::reserve(ACCUMULATED);
    for scheme in comparison::schemes() {
        let sizes = if is_test() {
            &[TRIED]
        } else {
            sizes_of(scheme)
        };
        for &keys in sizes {
            let benches = Benches {
                time,
                bytes,
                scheme,
                keys,
            };
            visit(scheme.name, benches).expect("bench: the scheme is listed");
        }
    }
}

/// The keys where everything runs once, to see that it works.
const TRIED: u64 = 16;
/// The most keys of designs with accumulators.
const ACCUMULATED: u64 = 1_000;

fn sizes_of(scheme: &Scheme) -> &'static [u64] {
    match (scheme.family, scheme.name) {
        (SchemeFamily::AccumulatedTuples, _) => &[ACCUMULATED],
        (_, "aad-frontier") => &[32],
        (SchemeFamily::Log, _) => &[1_000],
        (_, name) if name.ends_with("-bls") => &[1_000],
        _ => &[1_000, 10_000],
    }
}

/// A dictionary without its types: what measures it is compiled once, and not once for each scheme.
///
/// What one step makes is kept for the next one, so that only the step is timed.
trait Steps {
    /// The server: proves the answer to the next question.
    fn prove(&mut self) -> bool;
    /// The same, for `verify`.
    fn make_proof(&mut self);
    /// The client: verifies the first proof that was made.
    fn verify(&mut self) -> Answer;
    /// The bytes of a proof.
    fn proof_bytes(&mut self) -> usize;
    /// The next changes, for `publish`.
    fn make_changes(&mut self);
    /// The author: publishes the first changes that were made, for `apply`.
    fn publish(&mut self);
    /// The server: applies the first update that was published.
    fn apply(&mut self);
    /// The bytes of the first update that was published.
    fn update_bytes(&mut self) -> usize;
    /// Drops what was published and applied.
    fn clear(&mut self);
}

/// A loaded dictionary whose answers a client has checked, and what it is asked and given next.
struct Prepared<T: Roles> {
    loaded: Loaded<T>,
    scheme: &'static Scheme,
    work: Workload,
    /// The author's next version.
    version: u64,
    head: T::Head,
    /// Asked one after the other, again and again.
    questions: Vec<(Version, T::Question)>,
    next: usize,
    proofs: VecDeque<(T::Proof, usize)>,
    changes: VecDeque<T::Changes>,
    updates: VecDeque<T::Update>,
    applied: Vec<T::Update>,
}

impl<T: Roles> Prepared<T> {
    fn new(
        scheme: &'static Scheme,
        keys: u64,
        start: &impl Fn(u64) -> Outcome<T>,
    ) -> Outcome<Self> {
        let work = Workload::updates(keys, 1, 1);
        let loaded = Loaded::new(&work, Duration::MAX, start(work.most_entries())?)?;
        let lookups = loaded.lookups((scheme, &work));
        lookups.check()?;
        let questions = lookups.questions(&mut Random::new(7), Age::Latest, QUESTIONS);
        let head = lookups.roles.head(lookups.roles.latest())?;
        Ok(Self {
            loaded,
            scheme,
            work,
            version: 2,
            head,
            questions,
            next: 0,
            proofs: VecDeque::new(),
            changes: VecDeque::new(),
            updates: VecDeque::new(),
            applied: Vec::new(),
        })
    }

    fn proof(&mut self) -> (Outcome<T::Proof>, usize) {
        let place = self.next;
        self.next = (place + 1) % QUESTIONS;
        let (version, question) = &self.questions[place];
        (self.loaded.run.roles.prove(*version, question), place)
    }
}

/// The questions that are asked one after the other.
const QUESTIONS: usize = 256;

impl<T: Roles> Steps for Prepared<T> {
    fn prove(&mut self) -> bool {
        black_box(self.proof().0).is_ok()
    }

    fn make_proof(&mut self) {
        let (proof, place) = self.proof();
        let proof = proof.expect("bench: the version exists");
        self.proofs.push_back((proof, place));
    }

    fn verify(&mut self) -> Answer {
        let (proof, place) = self.proofs.pop_front().expect("bench: a proof was made");
        let lookups = self.loaded.lookups((self.scheme, &self.work));
        let answer = lookups.verify(&self.head, proof, &self.questions[place].1);
        answer.expect("bench: honest proofs verify")
    }

    fn proof_bytes(&mut self) -> usize {
        let proof = self.proof().0.expect("bench: the version exists");
        self.loaded.run.roles.proof_bytes(&proof)
    }

    fn make_changes(&mut self) {
        let operations = self.work.operations(self.version);
        self.version += 1;
        let changes = self.loaded.run.roles.prepare(operations);
        let changes = changes.expect("bench: the scheme can update keys");
        self.changes.push_back(changes);
    }

    fn publish(&mut self) {
        let changes = self.changes.pop_front().expect("bench: changes were made");
        let update = self.loaded.run.roles.publish(changes);
        let update = update.expect("bench: a key in memory signs");
        self.updates.push_back(update);
    }

    fn apply(&mut self) {
        let update = self.updates.pop_front().expect("bench: it was published");
        let applied = self.loaded.run.roles.apply(&update);
        applied.expect("bench: the author's updates apply");
        self.applied.push(update);
    }

    fn update_bytes(&mut self) -> usize {
        let update = self.updates.pop_front().expect("bench: it was published");
        self.loaded.run.roles.update_bytes(&update)
    }

    fn clear(&mut self) {
        self.updates.clear();
        self.applied.clear();
    }
}

/// The benches of a scheme.
struct Benches<'a> {
    time: &'a mut Criterion,
    bytes: &'a mut Criterion<Bytes>,
    scheme: &'static Scheme,
    keys: u64,
}

impl Visitor for Benches<'_> {
    type Output = ();

    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) {
        let (scheme, keys) = (self.scheme, self.keys);
        self.run(&|| -> Box<dyn Steps + '_> {
            let prepared = Prepared::new(scheme, keys, &start);
            Box::new(prepared.expect("bench: honest proofs verify"))
        });
    }
}

impl Benches<'_> {
    fn run<'p>(self, prepare: &dyn Fn() -> Box<dyn Steps + 'p>) {
        // Made when the first bench runs that is asked for.
        let steps = LazyCell::new(|| RefCell::new(prepare()));
        let steps = || steps.borrow_mut();
        let name = id(&[("scheme", &self.scheme.name), ("keys", &self.keys)]);
        let mut time = |group: &str, work: &mut dyn FnMut(&mut criterion::Bencher<'_>)| {
            let each = Each(Throughput::Elements(1), 10);
            measure(self.time, group, &name, each, work);
        };
        time("server/prove", &mut |bencher| {
            let mut steps = steps();
            bencher.iter(|| steps.prove());
        });
        time("client/verify", &mut |bencher| {
            let verify = |()| steps().verify();
            bencher.iter_batched(|| steps().make_proof(), verify, BatchSize::SmallInput);
        });
        let bytes =
            |criterion: &mut Criterion<Bytes>, what: &str, of: &mut dyn FnMut() -> usize| {
                let name = id(&[
                    ("scheme", &self.scheme.name),
                    ("keys", &self.keys),
                    ("of", &what),
                ]);
                let mut group = criterion.benchmark_group("bytes");
                group.sample_size(10).bench_function(name, |bencher| {
                    bencher.iter_custom(|times| (0..times).map(|_| of()).sum());
                });
                group.finish();
            };
        bytes(self.bytes, "proof", &mut || steps().proof_bytes());
        time("server/apply", &mut |bencher| {
            let publish = || {
                let mut steps = steps();
                steps.make_changes();
                steps.publish();
            };
            bencher.iter_batched(publish, |()| steps().apply(), BatchSize::LargeInput);
            steps().clear();
        });
        // Last: the server does not get these.
        time("author/snapshot", &mut |bencher| {
            let publish = |()| steps().publish();
            bencher.iter_batched(|| steps().make_changes(), publish, BatchSize::LargeInput);
            steps().clear();
        });
        bytes(self.bytes, "update", &mut || {
            let mut steps = steps();
            steps.make_changes();
            steps.publish();
            steps.update_bytes()
        });
    }
}
