//! Sets that change: values of every single step, and witnesses that follow them.
//!
//! A change removes and adds one element after the other. Its update data are the values between
//! these steps, and a witness follows each step by one linear equation. For an element `e`, values
//! `V` before and `V'` after:
//!
//! * `y` added: `W' = V + (y - e) W`, as `y + s = (e + s) + (y - e)`;
//! * `y` removed: `W' = (W - V') / (y - e)`, the same the other way round.
//!
//! So over many steps a witness is a combination of itself and the values, whose coefficients are
//! field arithmetic: one multi-scalar product, whatever the number of changes. For witnesses of
//! absence the equations are the same, and the remainder is multiplied by `y - e` or divided by it.
//!
//! What the values tell, and whom: each is `[f(s)]_1` for the polynomial of a set that this
//! library's model makes public, so everybody who has the powers can compute it. It helps to
//! forge no more than the powers do: security is that of the `q`-strong Diffie-Hellman assumption
//! with the `q` of the powers. It would be otherwise if an element could be removed that is not
//! there, or from the value of another set: that publishes `[f(s) / (y + s)]_1` with a remainder,
//! which is a forged witness. So whatever is made with the secret is made from the set, and a value
//! that is not the set's is refused. If the set is kept secret, each remainder `f(-e)` is a value
//! of the set's polynomial. That is monic, so as many of them as the set has elements reveal it:
//! then issue no witnesses of absence.
//!
//! Change logs are not verified here, and need not be: a witness that follows a false one does not
//! verify. But that no witness comes out of a log, `None` or [`AccumulateError::ElementAbsent`], is
//! not evidence that the element was removed; only the author's word or a witness of absence is.
//! Work and memory grow with the number of steps, so bound the length of logs from strangers:
//! [`crate::wire::decode`] takes a limit in bytes.
//!
//! Source: Nguyen 2005, section 3; Damgård & Triandopoulos 2008, section 3.2. On what
//! remainders reveal: Biryukov, Udovenko & Vitto 2021.

mod steps;

use std::collections::HashSet;

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Zero, batch_inversion};
use bls12::{point::G1_BYTES, threads::run};
use pad_core::{DecodeError, Workers};
use zeroize::Zeroizing;

use super::{
    Bilinear, element::BilinearElement, multi_scalar::map_all, of_elements, parameters::SCHEME,
    polynomial::divide_by_factor, public_key::BilinearPublicKey, secret_key::BilinearSecretKey,
    value::BilinearValue, witness::BilinearWitness,
};
use crate::{
    accumulator::{Dynamic, SecretKey},
    change::Change,
    error::AccumulateError,
    set::ElementSet,
    wire::{self, Reader, Wire},
};
pub(super) use steps::{Kind, Steps};

/// The values between the single steps of a change: one fewer than elements removed and added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BilinearUpdateData(Vec<BilinearValue>);

impl BilinearUpdateData {
    /// The values, in the order of the steps.
    pub fn values(&self) -> &[BilinearValue] {
        &self.0
    }
}

/// Number of values (4 bytes), values (48 each).
impl Wire for BilinearUpdateData {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_UPDATE_DATA;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        wire::write_count(self.0.len(), bytes);
        for value in &self.0 {
            value.write(bytes);
        }
    }

    fn read(key: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        (0..reader.count(G1_BYTES)?)
            .map(|_| BilinearValue::read(key, reader))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl Dynamic for Bilinear {
    /// Cost: one multi-scalar product of the set's size per element removed or added.
    fn change<B: AsRef<[u8]> + Sync>(
        key: &BilinearPublicKey,
        set: &mut ElementSet<Self>,
        value: &BilinearValue,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError> {
        let plan = Plan::new(key, set, (removed, added), workers)?;
        let mut coefficients = of_elements(set.elements(), workers);
        let mut values = Vec::with_capacity(plan.removed.len() + plan.added.len());
        for element in &plan.removed {
            coefficients = divide_by_factor(&coefficients, element.scalar()).0;
            values.push(key.parameters().evaluate(&coefficients, workers)?);
        }
        for element in &plan.added {
            multiply_by_factor(&mut coefficients, element.scalar());
            values.push(key.parameters().evaluate(&coefficients, workers)?);
        }
        let values = run(workers, || G1Projective::normalize_batch(&values));
        plan.carry_out(set, *value, values)
    }

    /// Every value comes from the set. The given one is compared and never multiplied: a value of
    /// another set, multiplied, would be `[(a + s) / (b + s)]_1`, a forged witness.
    ///
    /// Cost: a field multiplication per element of the set, two fixed-base multiplications per element
    /// removed or added, and two for the comparison.
    ///
    /// # Errors
    /// Also [`AccumulateError::ValueMismatch`] if `value` is not that of the set.
    fn change_with_secret<B: AsRef<[u8]> + Sync>(
        secret: &BilinearSecretKey,
        set: &mut ElementSet<Self>,
        value: &BilinearValue,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError> {
        let plan = Plan::new(secret.public_key(), set, (removed, added), workers)?;
        let product = Zeroizing::new(secret.product(set.elements(), workers)?);
        let scalars = exponents(secret, &plan, &product)?;
        let values = secret.multiply_each(&scalars, workers);
        let Some((before, values)) = values.split_first() else {
            return Err(AccumulateError::FaultDetected);
        };
        if *before != value.point() {
            return Err(AccumulateError::ValueMismatch);
        }
        plan.carry_out(set, *value, values.to_vec())
    }

    /// # Errors
    /// Also [`AccumulateError::WitnessMismatch`] if a false change log makes the witness the identity.
    fn update_witness(
        _: &BilinearPublicKey,
        element: &BilinearElement,
        witness: &BilinearWitness,
        changes: &[Change<Self>],
    ) -> Result<BilinearWitness, AccumulateError> {
        let steps = Steps::new(changes)?;
        let sequential = Workers::sequential();
        let followed =
            run(&sequential, || steps.follow(element.scalar())).map_err(|kind| match kind {
                Kind::Removed => AccumulateError::ElementAbsent,
                Kind::Added => AccumulateError::DuplicateElement,
            })?;
        BilinearWitness::new(steps.apply(witness.point(), &followed).into_affine())
    }

    /// Cost: one multi-scalar product of as many terms as there are steps for each witness; all
    /// witnesses anew, with the set or the secret, are cheaper after many steps.
    fn update_witnesses(
        _: &BilinearPublicKey,
        witnesses: &[(BilinearElement, BilinearWitness)],
        changes: &[Change<Self>],
        workers: &Workers,
    ) -> Result<Vec<Option<BilinearWitness>>, AccumulateError> {
        let steps = Steps::new(changes)?;
        let updated = run(workers, || {
            map_all(witnesses, workers, |(element, witness)| {
                match steps.follow(element.scalar()) {
                    Ok(followed) => Ok(Some(steps.apply(witness.point(), &followed))),
                    Err(Kind::Removed) => Ok(None),
                    Err(Kind::Added) => Err(AccumulateError::DuplicateElement),
                }
            })
        });
        let updated: Vec<Option<G1Projective>> = updated.into_iter().collect::<Result<_, _>>()?;
        let points: Vec<G1Projective> = updated.iter().flatten().copied().collect();
        let mut points = run(workers, || G1Projective::normalize_batch(&points)).into_iter();
        updated
            .into_iter()
            .map(|kept| {
                kept.and_then(|_| points.next())
                    .map(BilinearWitness::new)
                    .transpose()
            })
            .collect()
    }
}

/// What a change will do, checked, before it is done.
struct Plan<'a, B> {
    key: &'a BilinearPublicKey,
    /// The elements to be removed and to be added, as they were given.
    given: (&'a [B], &'a [B]),
    removed: Vec<BilinearElement>,
    added: Vec<BilinearElement>,
    workers: &'a Workers,
}

impl<'a, B: AsRef<[u8]> + Sync> Plan<'a, B> {
    fn new(
        key: &'a BilinearPublicKey,
        set: &ElementSet<Bilinear>,
        given: (&'a [B], &'a [B]),
        workers: &'a Workers,
    ) -> Result<Self, AccumulateError> {
        set.require_key(key)?;
        let (removed, added) = given;
        let positions: Vec<usize> = removed
            .iter()
            .map(|element| set.position(element.as_ref()))
            .collect::<Result<_, _>>()?;
        if positions.iter().collect::<HashSet<_>>().len() < positions.len() {
            return Err(AccumulateError::ElementAbsent);
        }
        // Refuses those in the set, and with them what is to be removed as well.
        let added = set.represent(key, &set.digests_of(added), workers)?;
        key.require_capacity(set.len() - positions.len() + added.len())?;
        let removed = positions
            .into_iter()
            .filter_map(|position| set.elements().get(position).cloned())
            .collect();
        Ok(Self {
            key,
            given,
            removed,
            added,
            workers,
        })
    }

    /// Does it. `values` are those after each step.
    fn carry_out(
        self,
        set: &mut ElementSet<Bilinear>,
        before: BilinearValue,
        values: Vec<G1Affine>,
    ) -> Result<Change<Bilinear>, AccumulateError> {
        let mut values: Vec<BilinearValue> = values
            .into_iter()
            .map(BilinearValue::new)
            .collect::<Result<_, _>>()?;
        let (removed, added) = self.given;
        set.remove_all(removed)?;
        set.insert_all(self.key, added, self.workers)?;
        Ok(Change {
            before,
            after: values.pop().unwrap_or(before),
            removed: self.removed,
            added: self.added,
            update_data: BilinearUpdateData(values),
        })
    }
}

/// Multiplies the polynomial with these coefficients by `X + scalar`.
///
/// Cost: one multiplication for each coefficient.
fn multiply_by_factor(coefficients: &mut Vec<Fr>, scalar: Fr) {
    let mut lower = Fr::ZERO;
    for coefficient in coefficients.iter_mut() {
        let product = *coefficient * scalar + lower;
        lower = core::mem::replace(coefficient, product);
    }
    coefficients.push(lower);
}

/// `f(s)` for the set before the change, which is `product`, and after each of its steps.
fn exponents(
    secret: &BilinearSecretKey,
    plan: &Plan<'_, impl Sized>,
    product: &Fr,
) -> Result<Zeroizing<Vec<Fr>>, AccumulateError> {
    let shifted = |element: &BilinearElement| element.scalar() + secret.scalar();
    let mut factors: Zeroizing<Vec<Fr>> = Zeroizing::new(
        plan.removed
            .iter()
            .chain(&plan.added)
            .map(shifted)
            .collect(),
    );
    if factors.iter().any(Zero::is_zero) {
        return Err(AccumulateError::ElementNotAllowed);
    }
    let removals = plan.removed.len().min(factors.len());
    if let Some(divisors) = factors.get_mut(..removals) {
        run(plan.workers, || batch_inversion(divisors));
    }
    let mut scalars = Zeroizing::new(Vec::with_capacity(factors.len().saturating_add(1)));
    let mut scalar = Zeroizing::new(*product);
    scalars.push(*scalar);
    for factor in factors.iter() {
        *scalar *= factor;
        scalars.push(*scalar);
    }
    Ok(scalars)
}
