//! RSA accumulators over sets that change.
//!
//! With the public key, adding raises the value to the new primes, and after removing the value is
//! made anew from what remains in the set. With the secret it is always made anew, by cheap products
//! and one power, and so is the one before, to see that set and value belong together. Deviation: Camenisch & Lysyanskaya let the author take a root of the value. Nothing ties a value
//! to a set there: of a stale one, in which the removed `r` is not, the root is a witness of `r`,
//! made and published by the author. A witness follows both with nothing but the change log:
//!
//! ```text
//! r   the element's prime          w^r      = before
//! A   product of primes added      after^D  = before^A
//! D   product of primes removed    a r + b D = 1        (Bezout; r does not divide D)
//!
//! w' = w^(b A) after^a             w'^r = before^(b A) after^(a r) = after^(b D + a r) = after
//! ```
//!
//! Consecutive changes fold into one: their `A` and `D` multiply, and elements that come and go
//! cancel. The change log of an RSA accumulator is public and tells nothing but who was added and
//! removed: witness updates need no further data.
//!
//! Source: Camenisch & Lysyanskaya 2002, "Dynamic accumulators and application to efficient
//! revocation of anonymous credentials", section 3.

use std::collections::{HashMap, HashSet};

use pad_core::{DecodeError, Workers};
use rayon::prelude::*;
use rsa_group::{
    exponentiation::{powers_of_one_base, product},
    group::{ModularGroup, Residue, ResidueGroup},
};
use rug::{Complete, Integer};

use super::{
    Rsa,
    element::RsaElement,
    parameters::{RsaPublicKey, SCHEME},
    secret_key::RsaSecretKey,
    value::RsaValue,
    witness::RsaWitness,
};
use crate::{
    accumulator::{Dynamic, SecretKey as _},
    change::{Change, require_consecutive},
    element::ElementDigest,
    error::AccumulateError,
    scheme::Element,
    set::ElementSet,
    wire::{self, Reader, Wire},
};

#[cfg(test)]
mod tests;

/// What witness updates need beyond the change itself: nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RsaUpdateData;

/// No bytes.
impl Wire for RsaUpdateData {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_UPDATE_DATA;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, _bytes: &mut Vec<u8>) {}

    fn read(_key: &RsaPublicKey, _reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

impl Dynamic for Rsa {
    /// With elements removed, `value` is not used and not checked; the change repeats it.
    ///
    /// Cost: one power for each element added; with elements removed, one for each in the set.
    fn change<B: AsRef<[u8]> + Sync>(
        key: &RsaPublicKey,
        set: &mut ElementSet<Self>,
        value: &RsaValue,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError> {
        change_set(key, set, (removed, added), workers, |plan| {
            if plan.removed.is_empty() {
                return Ok(plan.grown(key, value, workers));
            }
            Ok(transition(
                value,
                key.power_of_base(plan.remaining(), workers),
            ))
        })
    }

    /// Cost: two cheap products for each element in the set, and two powers by tables.
    fn change_with_secret<B: AsRef<[u8]> + Sync>(
        secret: &RsaSecretKey,
        set: &mut ElementSet<Self>,
        value: &RsaValue,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError> {
        let key = secret.public_key();
        change_set(key, set, (removed, added), workers, |plan| {
            if secret.power_of_base(plan.former(), workers)? != *value.residue() {
                return Err(AccumulateError::ValueMismatch);
            }
            let after = secret.power_of_base(plan.remaining(), workers)?;
            Ok(transition(value, after))
        })
    }

    /// [`AccumulateError::ElementAbsent`] is what the log says. A log that nobody verified is no
    /// evidence that the element was removed: anybody can write one that names it. The witness
    /// remains good for the value it was made for.
    ///
    /// Cost: a power with the exponents of all elements added and one with those of all removed,
    /// whose squarings are shared: linear in the elements of the log, so the caller bounds the
    /// length of logs from elsewhere.
    fn update_witness(
        key: &RsaPublicKey,
        element: &RsaElement,
        witness: &RsaWitness,
        changes: &[Change<Self>],
    ) -> Result<RsaWitness, AccumulateError> {
        let pair = (element.clone(), witness.clone());
        let updated = Self::update_witnesses(key, &[pair], changes, &Workers::sequential())?;
        updated
            .into_iter()
            .flatten()
            .next()
            .ok_or(AccumulateError::ElementAbsent)
    }

    /// `None` is what the log says, and no evidence of removal, as there.
    ///
    /// Cost: as [`Dynamic::update_witness`] each, but the powers of the last value share their
    /// squarings. The caller bounds the length of logs, as there.
    fn update_witnesses(
        key: &RsaPublicKey,
        witnesses: &[(RsaElement, RsaWitness)],
        changes: &[Change<Self>],
        workers: &Workers,
    ) -> Result<Vec<Option<RsaWitness>>, AccumulateError> {
        require_consecutive(changes)?;
        let Some(last) = changes.last() else {
            return Ok(witnesses
                .iter()
                .map(|(_, witness)| Some(witness.clone()))
                .collect());
        };
        let folded = Folded::new(changes, workers);
        if witnesses.iter().any(|(element, _)| folded.adds(element)) {
            return Err(AccumulateError::DuplicateElement);
        }
        let kept: Vec<_> = witnesses
            .iter()
            .filter(|(element, _)| !folded.removes(element))
            .collect();
        let update = |chunk: &[&(RsaElement, RsaWitness)]| {
            folded.update(key.group(), last.after.residue(), chunk)
        };
        let updated: Vec<Vec<RsaWitness>> = if workers.threads() == 1 {
            vec![update(&kept)?]
        } else {
            let length = kept.len().div_ceil(workers.threads()).max(1);
            workers.run(|| {
                kept.par_chunks(length)
                    .map(update)
                    .collect::<Result<_, _>>()
            })?
        };
        let mut updated = updated.into_iter().flatten();
        Ok(witnesses
            .iter()
            .map(|(element, _)| {
                if folded.removes(element) {
                    None
                } else {
                    updated.next()
                }
            })
            .collect())
    }
}

/// What a change is about to do: the set has the added elements already, and the removed ones still.
struct Plan<'a> {
    elements: &'a [RsaElement],
    /// Positions of what is removed.
    removed: HashSet<usize>,
    /// The position of the first element added.
    before: usize,
}

impl<'a> Plan<'a> {
    fn added(&self) -> impl Iterator<Item = &'a Integer> {
        self.elements
            .iter()
            .skip(self.before)
            .map(RsaElement::prime)
    }

    /// What was in the set before the change.
    fn former(&self) -> impl Iterator<Item = &'a Integer> {
        self.elements
            .iter()
            .take(self.before)
            .map(RsaElement::prime)
    }

    /// What is in the set after the change.
    fn remaining(&self) -> impl Iterator<Item = &'a Integer> {
        self.elements
            .iter()
            .enumerate()
            .filter(|(position, _)| !self.removed.contains(position))
            .map(|(_, element)| element.prime())
    }

    /// The transition if nothing is removed.
    fn grown(&self, key: &RsaPublicKey, value: &RsaValue, workers: &Workers) -> Transition {
        let group = key.group();
        let exponent = product(self.added(), workers);
        let power = group.power(value.residue().as_integer(), &exponent);
        transition(value, group.canonical(power))
    }
}

/// The values before and after.
struct Transition {
    before: RsaValue,
    after: RsaValue,
}

fn transition(before: &RsaValue, after: Residue) -> Transition {
    Transition {
        before: before.clone(),
        after: RsaValue::new(after),
    }
}

/// Changes a set, or leaves it as it is if `compute` fails.
///
/// The added elements go in first, so that their primes are searched once; they come last in the
/// set's order, so taking them out again restores it.
fn change_set<B: AsRef<[u8]> + Sync>(
    key: &RsaPublicKey,
    set: &mut ElementSet<Rsa>,
    (removed, added): (&[B], &[B]),
    workers: &Workers,
    compute: impl FnOnce(&Plan<'_>) -> Result<Transition, AccumulateError>,
) -> Result<Change<Rsa>, AccumulateError> {
    set.require_key(key)?;
    let positions: HashSet<usize> = removed
        .iter()
        .map(|element| set.position(element.as_ref()))
        .collect::<Result<_, _>>()?;
    if positions.len() < removed.len() {
        return Err(AccumulateError::ElementAbsent);
    }
    let before = set.insert_all(key, added, workers)?;
    let plan = Plan {
        elements: set.elements(),
        removed: positions,
        before,
    };
    let computed = compute(&plan);
    let added_elements = set.elements().get(before..).unwrap_or_default().to_vec();
    match computed {
        Ok(Transition { before, after }) => Ok(Change {
            before,
            after,
            removed: set.remove_all(removed)?,
            added: added_elements,
            update_data: RsaUpdateData,
        }),
        Err(error) => {
            set.remove_all(added)?;
            Err(error)
        }
    }
}

/// Consecutive changes as one.
struct Folded {
    /// Digests that some change removes, and adds.
    removes: HashSet<ElementDigest>,
    adds: HashSet<ElementDigest>,
    /// The products of the primes that are removed and added on balance.
    removed: Integer,
    added: Integer,
}

impl Folded {
    fn new(changes: &[Change<Rsa>], workers: &Workers) -> Self {
        let mut balance: HashMap<&RsaElement, i64> = HashMap::new();
        for change in changes {
            for element in &change.removed {
                let count = balance.entry(element).or_default();
                *count = count.saturating_sub(1);
            }
            for element in &change.added {
                let count = balance.entry(element).or_default();
                *count = count.saturating_add(1);
            }
        }
        let select = |keep: fn(i64) -> bool| {
            let kept = balance.iter().filter(move |(_, count)| keep(**count));
            product(kept.map(|(element, _)| element.prime()), workers)
        };
        let digests = |elements: fn(&Change<Rsa>) -> &[RsaElement]| {
            changes
                .iter()
                .flat_map(elements)
                .map(|element| *element.digest())
                .collect()
        };
        Self {
            removes: digests(|change| &change.removed),
            adds: digests(|change| &change.added),
            removed: select(|count| count < 0),
            added: select(|count| count > 0),
        }
    }

    fn removes(&self, element: &RsaElement) -> bool {
        self.removes.contains(element.digest())
    }

    fn adds(&self, element: &RsaElement) -> bool {
        self.adds.contains(element.digest()) && !self.removes(element)
    }

    /// The witnesses of elements that no change touches, for the value after all changes.
    fn update(
        &self,
        group: &ResidueGroup,
        after: &Residue,
        witnesses: &[&(RsaElement, RsaWitness)],
    ) -> Result<Vec<RsaWitness>, AccumulateError> {
        if self.removed == 1 {
            return Ok(witnesses
                .iter()
                .map(|(_, witness)| self.add(group, witness))
                .collect());
        }
        let bezout: Vec<(Integer, Integer)> = witnesses
            .iter()
            .map(|(element, _)| self.bezout(element.prime()))
            .collect::<Result<_, _>>()?;
        // a is negative: its absolute value is an exponent of the inverse.
        let inverse = group.inverse(after.as_integer());
        let exponents: Vec<&Integer> = bezout.iter().map(|(a, _)| a).collect();
        let factors = powers_of_one_base(group, &inverse, &exponents);
        let updated =
            witnesses
                .iter()
                .zip(&bezout)
                .zip(factors)
                .map(|(((_, witness), (_, b)), factor)| {
                    let exponent = (b * &self.added).complete();
                    let power = group.power(witness.residue().as_integer(), &exponent);
                    let residue = group.canonical(group.multiply(&power, &factor));
                    RsaWitness::new(residue, witness.offset())
                });
        Ok(updated.collect())
    }

    /// The witness where nothing was removed.
    fn add(&self, group: &ResidueGroup, witness: &RsaWitness) -> RsaWitness {
        let power = group.power(witness.residue().as_integer(), &self.added);
        RsaWitness::new(group.canonical(power), witness.offset())
    }

    /// `(a, b)` with `b D - a r = 1` and `0 < b < r`, so that neither is negative.
    fn bezout(&self, prime: &Integer) -> Result<(Integer, Integer), AccumulateError> {
        let b = self
            .removed
            .invert_ref(prime)
            .map(Integer::from)
            .ok_or(AccumulateError::WitnessMismatch)?;
        let a = ((&b * &self.removed).complete() - 1_u32) / prime;
        Ok((a, b))
    }
}
