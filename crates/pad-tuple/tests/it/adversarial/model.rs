//! All combinations of all parts that an honest author ever published. Checks that accepted answers
//! are true.

use super::{
    published::{Tuple, chains, published},
    *,
};
use pad_conformance::soak;
use pad_tuple::internals::{Plain, SignatureScheme, SignedEvidence, chain};

/// A tuple with one evidence for it.
struct Candidate<D: Design<S>> {
    tuple: Tuple,
    evidence: D::Evidence,
}

/// The tuples tried at a generation's place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TupleChoice {
    /// Tuples of every generation.
    Any,
    /// Tuples of the place's generation.
    Own,
}

#[derive(Default)]
struct Counts {
    tried: usize,
    accepted: usize,
}

struct Model<'a, D: Design<S>> {
    target: &'a Target<D>,
    candidates: Vec<Candidate<D>>,
    places: TupleChoice,
    /// Step through [`NAMES`]: 1 asks about all of them; `make test` uses more.
    every: usize,
}

const NAMES: [&str; 9] = ["", "b", "bb", "c", "d", "e", "ee", "f", "g"];

/// Checks all combinations of these parts with tuples of every generation at every place.
fn check_combinations<D: Design<S, Secret: TestSecret>>(
    target: &Target<D>,
    candidates: Vec<Candidate<D>>,
) {
    let model = Model {
        target,
        candidates,
        places: TupleChoice::Any,
        every: soak::size(3, 1),
    };
    model.check();
}

impl<D: Design<S, Secret: TestSecret>> Model<'_, D> {
    /// Tries every `every`-th name of [`NAMES`] with each version, each list of epochs and each
    /// list of parts.
    fn check(&self) -> Counts {
        let mut counts = Counts::default();
        let versions = 1..=self.target.latest();
        let lists = versions.map(|version| self.target.prove(version, "d").epochs);
        let mut lists: Vec<Vec<u64>> = lists.collect();
        lists.dedup();
        for name in NAMES.into_iter().step_by(self.every) {
            let asked = key(name);
            self.check_beyond(&asked);
            for version in 0..=self.target.latest() + 1 {
                let before = counts.accepted;
                for epochs in &lists {
                    let mut proof = TupleProof {
                        epochs: epochs.clone(),
                        parts: Vec::new(),
                        seal: self.target.prove(1, name).seal,
                    };
                    self.extend(&mut proof, version, &asked, &mut counts);
                }
                let exists = (1..=self.target.latest()).contains(&version);
                assert_eq!(counts.accepted > before, exists, "{asked} in {version}");
            }
        }
        println!(
            "{}: {} genuine parts, {} combinations, {} accepted",
            D::NAME,
            self.candidates.len(),
            counts.tried,
            counts.accepted
        );
        counts
    }

    /// Tries all proofs that extend these parts.
    fn extend(&self, proof: &mut TupleProof<S, D>, version: u64, key: &Key, counts: &mut Counts) {
        let place = proof.parts.len();
        for Candidate { tuple, evidence } in &self.candidates {
            let foreign = usize::from(tuple.generation()) != place;
            if !tuple.holds(key) || (foreign && self.places == TupleChoice::Own) {
                continue;
            }
            let shown = tuple.shown(key);
            let decides = context::decides(&shown);
            let (tuple, evidence) = (shown, evidence.clone());
            proof.parts.push(Part { tuple, evidence });
            counts.tried += 1;
            let outcome = self.target.verify(proof, version, key);
            if let Ok(answer) = &outcome {
                counts.accepted += 1;
                self.target.require_truth(version, key, answer);
            }
            if !decides && place + 1 < D::GENERATIONS {
                assert_eq!(outcome, Err(VerifyError::GenerationMissing));
                self.extend(proof, version, key, counts);
            }
            proof.parts.pop();
        }
    }

    /// Tuples whose interval does not contain the key need no combinations: every place refuses
    /// them.
    fn check_beyond(&self, key: &Key) {
        for Candidate { tuple, evidence } in &self.candidates {
            if tuple.holds(key) {
                continue;
            }
            let (tuple, evidence) = (tuple.shown(key), evidence.clone());
            let proof = TupleProof {
                epochs: vec![1; D::GENERATIONS - 1],
                parts: vec![Part { tuple, evidence }],
                seal: self.target.prove(1, "").seal,
            };
            let refusal = self.target.verify(&proof, 1, key);
            assert_eq!(refusal, Err(VerifyError::KeyOutsideInterval));
        }
    }
}

/// Checks all combinations of signed tuples. `shown` returns the data that a proof shows for a
/// tuple that was signed at an instant, given that instant and the tuple's first one.
fn check_signed<R>(shown: fn(u64, u64) -> R::TupleData)
where
    R: Refresh<S, Secret: TestSecret, Item<Ed25519> = <Ed25519 as SignatureScheme>::Signature>,
{
    let target = Target::<Signed<Ed25519, R, 2>>::new();
    let candidates = published(&target).into_iter().map(|published| {
        let evidence = SignedEvidence {
            shown: shown(published.instant, published.since),
            signature: published.item,
        };
        let tuple = published.tuple;
        Candidate { tuple, evidence }
    });
    check_combinations(&target, candidates.collect());
}

#[test]
fn plain_signatures_in_every_combination() {
    check_signed::<Plain>(|_, _| ());
}

#[test]
fn superseding_signatures_in_every_combination() {
    check_signed::<Superseding>(|until, since| Validity { since, until });
}

/// Walks every number of steps from each link of every chain: only a chain's own links reach its
/// anchor. The nearest of the other links are also tried as evidence.
fn lightweight<const GENERATIONS: usize>(
    target: &Target<Signed<Ed25519, Lightweight, GENERATIONS>>,
) -> Vec<Candidate<Signed<Ed25519, Lightweight, GENERATIONS>>> {
    let chains = chains(target);
    let (mut candidates, mut walked) = (Vec::new(), 0);
    let mut add = |tuple: &Tuple, evidence| {
        let tuple = tuple.clone();
        candidates.push(Candidate { tuple, evidence });
    };
    for chain in &chains {
        let (digest, anchor) = (chain.tuple.digest(), chain.links[0]);
        let newest = chain.revealed();
        for other in &chains {
            for link in &other.links {
                for steps in 0..=newest + 4 {
                    walked += 1;
                    let found = chain::require_walkable(steps.into())
                        .map(|steps| chain::walk::<S>(*link, &digest, steps));
                    let leads = found == Ok(anchor);
                    let own = chain.links.get(usize::try_from(steps).unwrap()) == Some(link);
                    assert_eq!(leads, own, "only a chain's own links lead to its anchor");
                    if leads {
                        add(&chain.tuple, chain.evidence(steps, *link));
                    }
                }
            }
        }
        let newest_link = chain.links[chain.links.len() - 1];
        add(&chain.tuple, chain.evidence(newest + 1, newest_link));
        // A younger chain of the tuple, with the form of the next step.
        let younger = chains.iter().rfind(|other| other.tuple == chain.tuple);
        if let Some(younger) = younger {
            let link = younger.links[younger.links.len() - 1];
            add(&chain.tuple, chain.evidence(newest + 1, link));
        }
    }
    println!("{} chains, {walked} walks", chains.len());
    candidates
}

#[test]
fn lightweight_signatures_and_links_in_every_combination() {
    let target = Target::<SpecLightweight>::new();
    check_combinations(&target, lightweight(&target));
}

/// Checks the model with three generations. Snapshots merge into each of them.
#[test]
fn three_generations_in_every_combination() {
    let mut actions = actions();
    let more = [put("c", "8"), put("g", "9"), remove("d")];
    let more = more.map(|action| [action, Action::Snapshot]);
    actions.extend(more.into_iter().flatten());
    let target = Target::<SpecLightweight3>::with(dictionary(), AUTHOR, &actions, 3);
    let merges = target.updates.iter().map(|update| update.attachment.merged);
    let merges: Vec<u8> = merges.collect();
    let are_all = [0, 1, 2].iter().all(|merged| merges[1..].contains(merged));
    assert!(are_all, "{merges:?}");
    let model = Model {
        target: &target,
        candidates: lightweight(&target),
        places: TupleChoice::Own,
        every: soak::size(5, 1),
    };
    model.check();
}
