//! Changes of sets under the RSA accumulator: new values, and witness updates.
//!
//! With the public key, additions raise the value to the new primes. After a removal the value is
//! recomputed from the remaining set. With the secret key the value is always computed from the
//! exponent of the set, with cheap products and one power. The previous value is computed too, to
//! check that it matches the set.
//!
//! Deviation: Camenisch & Lysyanskaya let the author take a root of the value. Their method does
//! not check that the value belongs to a set. The root of a stale value that does not contain the
//! removed `r` is a witness of `r`, computed and published by the author.
//!
//! Witnesses are updated from the list of changes only:
//!
//! ```text
//! r   the element's prime          w^r      = before
//! A   product of primes added      after^D  = before^A
//! D   product of primes removed    a r + b D = 1        (Bezout; r does not divide D)
//!
//! w' = w^(b A) after^a             w'^r = before^(b A) after^(a r) = after^(b D + a r) = after
//! ```
//!
//! Consecutive changes fold into one: their `A` and `D` multiply, and elements that were both added
//! and removed cancel. The changes of an RSA accumulator are public and reveal only the added and
//! removed elements. Witness updates need no further data.
//!
//! Source: Camenisch & Lysyanskaya 2002, "Dynamic accumulators and application to efficient
//! revocation of anonymous credentials", section 3.

use std::collections::{HashMap, HashSet};

use pad_core::Workers;
use rsa_group::{
    exponentiation::{powers_of_one_base, product},
    group::{ModularGroup, Residue, ResidueGroup},
};
use rug::{Complete, Integer};

use super::{
    Rsa, element::RsaElement, parameters::RsaPublicKey, update_data::RsaUpdateData,
    value::RsaValue, witness::RsaWitness,
};
use crate::{
    change::{Change, require_consecutive},
    dynamic::Dynamic,
    element::ElementDigest,
    error::AccumulateError,
    plan::Plan,
    scheme::Element,
};

#[cfg(test)]
mod tests;

impl Dynamic for Rsa {
    /// If elements are removed, `value` is neither used nor checked. The returned change contains
    /// it unchanged as [`Change::before`].
    ///
    /// Cost: one power for each added element, or for each element of the set if elements are
    /// removed.
    fn transition(
        key: &RsaPublicKey,
        plan: &Plan<'_, Self>,
        value: &RsaValue,
        workers: &Workers,
    ) -> Result<(RsaValue, RsaUpdateData), AccumulateError> {
        let residue = if plan.removed().is_empty() {
            grown(key, value, plan.added(), workers)
        } else {
            key.power_of_base(plan.remaining().map(RsaElement::prime), workers)
        };
        Ok((RsaValue::new(residue), RsaUpdateData))
    }

    /// A result of `None` means that the list of changes removes the element. The list is not
    /// verified, so `None` is not evidence of a removal.
    ///
    /// Cost for each witness: two powers. One exponent is as long as the product of all added
    /// primes, the other as that of all removed primes. The cost is linear in the size of the list.
    /// The powers of the last value share their squarings among all witnesses.
    fn update_witnesses(
        key: &RsaPublicKey,
        witnesses: &[(RsaElement, RsaWitness)],
        changes: &[Change<Self>],
        workers: &Workers,
    ) -> Result<Vec<Option<RsaWitness>>, AccumulateError> {
        require_consecutive(changes)?;
        let Some(last) = changes.last() else {
            let unchanged = witnesses.iter().map(|(_, witness)| Some(witness.clone()));
            return Ok(unchanged.collect());
        };
        let folded = NetChange::new(changes, workers);
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
        let length = kept.len().div_ceil(workers.threads()).max(1);
        let chunks: Vec<_> = kept.chunks(length).collect();
        let updated = workers.map(&chunks, |chunk| update(chunk));
        let updated: Vec<Vec<RsaWitness>> = updated.into_iter().collect::<Result<_, _>>()?;
        let mut updated = updated.into_iter().flatten();
        let all = witnesses.iter().map(|(element, _)| {
            let is_kept = !folded.removes(element);
            is_kept.then(|| updated.next()).flatten()
        });
        Ok(all.collect())
    }
}

/// Returns the value after additions only: `value` raised to the primes of the added elements.
fn grown(key: &RsaPublicKey, value: &RsaValue, added: &[RsaElement], workers: &Workers) -> Residue {
    let group = key.group();
    let exponent = product(added.iter().map(RsaElement::prime), workers);
    group.canonical(group.power(value.residue().as_integer(), &exponent))
}

/// Consecutive changes folded into one.
pub(super) struct NetChange {
    /// Digests of the elements that any of the changes removes.
    removes: HashSet<ElementDigest>,
    adds: HashSet<ElementDigest>,
    /// Product of the primes that all changes together remove. Primes that are also added back are
    /// left out.
    pub(super) removed: Integer,
    pub(super) added: Integer,
}

impl NetChange {
    pub(super) fn new(changes: &[Change<Rsa>], workers: &Workers) -> Self {
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
            let elements = changes.iter().flat_map(elements);
            elements.map(|element| *element.digest()).collect()
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

    /// Updates the witnesses of elements that no change removes or adds. `after` is the value after
    /// all changes.
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
        // The coefficient of r is negative: its absolute value `a` is an exponent of the inverse.
        let inverse = group.inverse(after.as_integer());
        let exponents: Vec<&Integer> = bezout.iter().map(|(a, _)| a).collect();
        let factors = powers_of_one_base(group, &inverse, &exponents);
        let updated = witnesses.iter().zip(&bezout).zip(factors);
        let updated = updated.map(|(((_, witness), (_, b)), factor)| {
            let exponent = (b * &self.added).complete();
            let power = group.power(witness.residue().as_integer(), &exponent);
            let residue = group.canonical(group.multiply(&power, &factor));
            RsaWitness::new(residue, witness.offset())
        });
        Ok(updated.collect())
    }

    /// Updates a witness over changes that remove nothing on balance.
    fn add(&self, group: &ResidueGroup, witness: &RsaWitness) -> RsaWitness {
        let power = group.power(witness.residue().as_integer(), &self.added);
        RsaWitness::new(group.canonical(power), witness.offset())
    }

    /// Computes `(a, b)` with `b D - a r = 1` and `0 < b < r`, so that neither is negative. `D` is
    /// the product of the removed primes, and `r` is `prime`.
    fn bezout(&self, prime: &Integer) -> Result<(Integer, Integer), AccumulateError> {
        let b = self.removed.invert_ref(prime).map(Integer::from);
        let b = b.ok_or(AccumulateError::WitnessMismatch)?;
        let a = ((&b * &self.removed).complete() - 1_u32) / prime;
        Ok((a, b))
    }
}
