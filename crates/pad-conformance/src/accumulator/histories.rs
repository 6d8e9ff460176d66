//! Checks of random histories of changes against a set of byte strings. After every step, the
//! accumulator value and all updated witnesses (of membership and of absence) must equal values and
//! witnesses computed from scratch.

use std::collections::{BTreeMap, BTreeSet};

use pad_accumulators::{AccumulateError, AuthorSet, Change, ElementSet, SecretKey as _};
use pad_core::{Untrusted, Workers};

use super::{Complete, PublicKey, SecretKey, sent, set_of, verified};
use crate::Random;

/// The state of a check after some random changes: the accumulated set, the same set as an oracle,
/// and witnesses to update.
struct History<'a, A: Complete> {
    secret: &'a SecretKey<A>,
    set: ElementSet<A>,
    value: A::Value,
    /// The set and its value again, with the exponent that the author keeps.
    author: AuthorSet<A>,
    oracle: BTreeSet<Vec<u8>>,
    changes: Vec<Change<A>>,
    /// For some members of the set: the number of changes made when the witness was computed, and
    /// the witness.
    members: BTreeMap<Vec<u8>, (usize, A::Witness)>,
    /// For some absent elements: the same, with a witness of absence.
    strangers: BTreeMap<Vec<u8>, (usize, A::NonMembershipWitness)>,
}

/// Makes `steps` random changes to a set, and checks after each that incremental updates equal a
/// recomputation. A change removes and adds one to five elements in total, from a universe of 24.
pub fn check_updates_follow_recomputation<A: Complete>(
    secret: &SecretKey<A>,
    steps: usize,
    seed: u64,
) {
    let key = secret.public_key();
    let mut random = Random::new(seed);
    let mut history = History::<A> {
        secret,
        set: ElementSet::new(key),
        value: A::empty_value(key),
        author: AuthorSet::empty(secret),
        oracle: BTreeSet::new(),
        changes: Vec::new(),
        members: BTreeMap::new(),
        strangers: BTreeMap::new(),
    };
    for step in 0..steps {
        let (removed, added) = history.draw(&mut random);
        history.step(&removed, &added, step % 2 == 0);
        history.check_value();
        history.follow_members();
        history.follow_strangers();
        history.remember(&mut random);
    }
}

impl<A: Complete> History<'_, A> {
    fn key(&self) -> &PublicKey<A> {
        self.secret.public_key()
    }

    fn draw(&self, random: &mut Random) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let (mut removed, mut added) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..=random.below(5) {
            let element = random.below(24).to_be_bytes().to_vec();
            if self.oracle.contains(&element) {
                removed.insert(element);
            } else {
                added.insert(element);
            }
        }
        (removed.into_iter().collect(), added.into_iter().collect())
    }

    fn step(&mut self, removed: &[Vec<u8>], added: &[Vec<u8>], with_secret: bool) {
        let alone = Workers::sequential();
        let mut shadow = self.set.clone();
        let key = self.secret.public_key();
        let public = A::change(key, &mut shadow, &self.value, removed, added, &alone).unwrap();
        let (set, value) = (&mut self.set, &self.value);
        let change = A::change(self.secret, set, value, removed, added, &alone).unwrap();
        assert_eq!(public, change, "with and without the secret key");
        let received: Untrusted<Change<A>> = sent::<_, A>(key, &change);
        assert_eq!(received.as_unverified(), &change);
        if !with_secret {
            self.set = shadow;
        }
        let mut without_updates = self.author.clone();
        let kept = self.author.change(self.secret, removed, added, &alone);
        assert_eq!(kept.unwrap(), change, "with and without the kept exponent");
        without_updates
            .change_without_updates(self.secret, removed, added, &alone)
            .unwrap();
        assert_eq!(without_updates.value(), &change.after);
        let elements = self.author.set().elements();
        assert_eq!(without_updates.set().elements(), elements);
        self.refuses_the_impossible(removed, added);
        for element in removed {
            assert!(self.oracle.remove(element));
        }
        self.oracle.extend(added.iter().cloned());
        self.value = change.after.clone();
        self.changes.push(change);
    }

    /// Checks that the set refuses to remove absent elements and to add present elements.
    fn refuses_the_impossible(&self, removed: &[Vec<u8>], added: &[Vec<u8>]) {
        let alone = Workers::sequential();
        let none: &[Vec<u8>] = &[];
        for (removed, added, error) in [
            (removed, none, AccumulateError::ElementAbsent),
            (none, added, AccumulateError::DuplicateElement),
        ] {
            if removed.is_empty() && added.is_empty() {
                continue;
            }
            let mut set = self.set.clone();
            let (key, value) = (self.key(), &self.value);
            let refused = A::change(key, &mut set, value, removed, added, &alone);
            assert_eq!(refused.unwrap_err(), error);
            let refused = A::change(self.secret, &mut set, value, removed, added, &alone);
            assert_eq!(refused.unwrap_err(), error);
            assert_eq!(set.elements(), self.set.elements());
            let mut author = self.author.clone();
            let refused = author.change(self.secret, removed, added, &alone);
            assert_eq!(refused.unwrap_err(), error);
            let refused = author.change_without_updates(self.secret, removed, added, &alone);
            assert_eq!(refused.unwrap_err(), error);
            assert_eq!(author.set().elements(), self.author.set().elements());
            assert_eq!(author.value(), self.author.value());
        }
    }

    fn check_value(&self) {
        let members: Vec<_> = self.oracle.iter().cloned().collect();
        let rebuilt = set_of::<A>(self.key(), &members);
        let value = A::accumulate(self.key(), &rebuilt, &Workers::sequential()).unwrap();
        assert_eq!(value, self.value, "the value of the changed set");
        assert_eq!(self.set.len(), self.oracle.len());
    }

    fn follow_members(&mut self) {
        let key = self.key().clone();
        let alone = Workers::sequential();
        let current = verified::<A>(&key, 9, &self.value);
        for (element, (made, witness)) in &self.members {
            let digest = self.set.digests_of(&[element])[0];
            let representative = A::element(&key, &digest).unwrap();
            let log = &self.changes[*made..];
            let updated = A::update_witness(&key, &representative, witness, log);
            let pair = [(representative.clone(), witness.clone())];
            let many = A::update_witnesses(&key, &pair, log, &alone);
            let is_removal = |change: &Change<A>| change.removed.contains(&representative);
            if log.iter().any(is_removal) {
                assert_eq!(updated.unwrap_err(), AccumulateError::ElementAbsent);
                assert!(matches!(many.unwrap()[..], [None]));
            } else {
                let updated = updated.unwrap();
                let recomputed = A::witness(&key, &self.set, element, &alone).unwrap();
                assert_eq!(updated, recomputed);
                let kept = self.author.witness(self.secret, element);
                assert_eq!(kept.unwrap(), recomputed);
                assert_eq!(many.unwrap(), [Some(recomputed)]);
                let sent = sent::<_, A>(&key, &updated);
                sent.verify(&current, element).unwrap();
            }
        }
        let oracle = &self.oracle;
        self.members.retain(|element, _| oracle.contains(element));
    }

    fn follow_strangers(&mut self) {
        let key = self.key().clone();
        let alone = Workers::sequential();
        let current = verified::<A>(&key, 9, &self.value);
        for (element, (made, witness)) in &self.strangers {
            let digest = self.set.digests_of(&[element])[0];
            let representative = A::element(&key, &digest).unwrap();
            let log = &self.changes[*made..];
            let updated = A::update_non_membership_witness(&key, &representative, witness, log);
            let is_addition = |change: &Change<A>| change.added.contains(&representative);
            if log.iter().any(is_addition) {
                assert_eq!(updated.unwrap_err(), AccumulateError::ElementPresent);
            } else {
                let updated = updated.unwrap();
                let recomputed =
                    A::non_membership_witness(&key, &self.set, element, &alone).unwrap();
                assert_eq!(updated, recomputed);
                let author = &self.author;
                let refused = author.witness(self.secret, element).unwrap_err();
                assert_eq!(refused, AccumulateError::ElementAbsent);
                let sent = sent::<_, A>(&key, &updated);
                sent.verify(&current, element).unwrap();
            }
        }
        let oracle = &self.oracle;
        self.strangers
            .retain(|element, _| !oracle.contains(element));
    }

    /// Makes a witness of a random element, of membership or of absence. Later steps update the
    /// witness.
    fn remember(&mut self, random: &mut Random) {
        let alone = Workers::sequential();
        let now = self.changes.len();
        let element = random.below(24).to_be_bytes().to_vec();
        let key = self.secret.public_key();
        if self.oracle.contains(&element) {
            let witness = A::witness(key, &self.set, &element, &alone).unwrap();
            self.members.entry(element).or_insert((now, witness));
        } else {
            let witness = A::non_membership_witness(key, &self.set, &element, &alone).unwrap();
            self.strangers.entry(element).or_insert((now, witness));
        }
    }
}

/// Checks that changes with the secret key refuse an accumulator value that is not the set's.
/// Dividing an absent element out of a stale value would make a forgery, published by the author.
pub fn check_stale_values<A: Complete>(secret: &SecretKey<A>) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let names: Vec<Vec<u8>> = (0..4_u8).map(|name| vec![name]).collect();
    let stale = A::accumulate(key, &set_of::<A>(key, &names[..2]), &alone).unwrap();
    let mut set = set_of::<A>(key, &names[..3]);
    let before = set.elements().to_vec();
    let refused = AuthorSet::load(secret, set.clone(), &stale, &alone);
    assert_eq!(refused.unwrap_err(), AccumulateError::ValueMismatch);
    check_foreign_key(secret, &set);
    for (removed, added) in [(2..3, 3..3), (0..0, 3..4), (2..3, 3..4), (0..0, 3..3)] {
        let (removed, added) = (&names[removed], &names[added]);
        let refused = A::change(secret, &mut set, &stale, removed, added, &alone);
        assert_eq!(refused.unwrap_err(), AccumulateError::ValueMismatch);
        assert_eq!(set.elements(), before, "a refused change changes nothing");
    }
}

/// Checks that an author's set works only with the key of its accumulator.
fn check_foreign_key<A: Complete>(secret: &SecretKey<A>, set: &ElementSet<A>) {
    let alone = Workers::sequential();
    let wrong = AccumulateError::WrongAccumulator;
    let foreign = secret.with_label(b"another label");
    let refused = AuthorSet::new(&foreign, set.clone(), &alone);
    assert_eq!(refused.unwrap_err(), wrong);
    let mut author = AuthorSet::new(secret, set.clone(), &alone).unwrap();
    let name: &[&[u8]] = &[&[0]];
    let refused = author.change(&foreign, name, &[], &alone);
    assert_eq!(refused.unwrap_err(), wrong);
    let refused = author.change_without_updates(&foreign, &[], &[b"new"], &alone);
    assert_eq!(refused.unwrap_err(), wrong);
    assert_eq!(author.witness(&foreign, &[0]).unwrap_err(), wrong);
    assert_eq!(author.set().elements(), set.elements());
}

/// Checks that a witness is not updated by a list of changes with a gap, and that witnesses updated
/// by forged changes do not verify.
pub fn check_false_logs<A: Complete>(secret: &SecretKey<A>) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let names: Vec<Vec<u8>> = (0..6_u8).map(|name| vec![name]).collect();
    let mut set = set_of::<A>(key, &names[..2]);
    let mut value = A::accumulate(key, &set, &alone).unwrap();
    let witness = A::witness(key, &set, &names[0], &alone).unwrap();
    let stranger = A::non_membership_witness(key, &set, &names[5], &alone).unwrap();
    let mut log = Vec::new();
    for name in &names[2..5] {
        let none: &[Vec<u8>] = &[];
        let added = core::slice::from_ref(name);
        let change = A::change(key, &mut set, &value, none, added, &alone).unwrap();
        value = change.after.clone();
        log.push(change);
    }
    let digests = set.digests_of(&[&names[0], &names[5]]);
    let member = A::element(key, &digests[0]).unwrap();
    let absent = A::element(key, &digests[1]).unwrap();
    let gap = [log[0].clone(), log[2].clone()];
    let refused = A::update_witness(key, &member, &witness, &gap);
    assert_eq!(refused, Err(AccumulateError::ChangeGap));
    let refused = A::update_non_membership_witness(key, &absent, &stranger, &gap);
    assert_eq!(refused, Err(AccumulateError::ChangeGap));
    let current = verified::<A>(key, 5, &value);
    let mut forged = log.clone();
    let added = forged[0].added.clone();
    forged[1].added = added;
    if let Ok(updated) = A::update_witness(key, &member, &witness, &forged) {
        let sent = sent::<_, A>(key, &updated);
        assert!(sent.verify(&current, &names[0]).is_err());
    }
    if let Ok(updated) = A::update_non_membership_witness(key, &absent, &stranger, &forged) {
        let sent = sent::<_, A>(key, &updated);
        assert!(sent.verify(&current, &names[5]).is_err());
    }
}
