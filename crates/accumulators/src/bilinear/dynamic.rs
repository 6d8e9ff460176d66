//! Changes of sets under the bilinear accumulator: the value after every removal or addition, and
//! witness updates.
//!
//! A change removes and adds one element after the other. Its update data are the values between
//! these steps, and each step updates a witness by one linear equation. For an element `e`, values
//! `V` before and `V'` after:
//!
//! * `y` added: `W' = V + (y - e) W`, as `y + s = (e + s) + (y - e)`;
//! * `y` removed: `W' = (W - V') / (y - e)`, the inverse of the first equation.
//!
//! After many steps, the new witness is a linear combination of the old witness and the values. The
//! coefficients are computed by field arithmetic, so the update is one multi-scalar product
//! regardless of the number of changes. Non-membership witnesses use the same equations, and their
//! remainder is multiplied or divided by `y - e`.
//!
//! # Disclosure by the values
//!
//! Each value is `[f(s)]_1` for the polynomial of a set that is public in this library's model.
//! Anyone with the powers can compute it, so it helps a forger no more than the powers do. Security
//! rests on the `q`-strong Diffie-Hellman assumption with the `q` of the powers.
//!
//! Removing an absent element, or removing from the value of another set, would break this
//! argument. The author would publish `[f(s) / (y + s)]_1` with a remainder, which is a forged
//! witness. All results with the secret key are therefore computed from the set. A value of another
//! set is refused.
//!
//! For a secret set, non-membership witnesses leak information. Each remainder `f(-e)` is a value
//! of the set's polynomial. The polynomial is monic, so as many remainders as the set has elements
//! reveal it. Issue no non-membership witnesses for a secret set.
//!
//! # Untrusted change logs
//!
//! Change logs are not verified here: a false log produces a witness that does not verify. An
//! update without a result, `None` or [`AccumulateError::ElementAbsent`], is not evidence of a
//! removal. Only the author's statement or a non-membership witness is.
//!
//! Work and memory grow with the number of steps, so bound the length of untrusted logs:
//! [`crate::wire::decode`] takes a limit in bytes.
//!
//! Source: Nguyen 2005, section 3; Damgård & Triandopoulos 2008, section 3.2. On disclosure by
//! remainders: Biryukov, Udovenko & Vitto 2021.

mod steps;

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::{Zero, batch_inversion};
use bls12::threads::run;
use pad_core::Workers;
use zeroize::Zeroizing;

use super::{
    Bilinear,
    element::{BilinearElement, scalars},
    polynomial::{self, divide_by_factor, multiply_by_factor},
    public_key::BilinearPublicKey,
    secret_key::BilinearSecretKey,
    update_data::BilinearUpdateData,
    value::BilinearValue,
    witness::BilinearWitness,
};
use crate::{
    accumulator::{Dynamic, EitherKey},
    change::Change,
    error::AccumulateError,
    plan::Plan,
};
pub(super) use steps::{Kind, Steps};

impl Dynamic for Bilinear {
    /// With the secret key, every value is computed from the set. The given `value` is compared but
    /// never multiplied: multiplying the value of another set would yield `[(a + s) / (b + s)]_1`,
    /// a forged witness.
    ///
    /// Cost with the public key: one multi-scalar product of the set's size per element removed or
    /// added. With the secret key: a field multiplication per element of the set, two fixed-base
    /// multiplications per element removed or added, and two for the comparison.
    fn transition(
        key: &impl EitherKey<Self>,
        plan: &Plan<'_, Self>,
        value: &BilinearValue,
        workers: &Workers,
    ) -> Result<(BilinearValue, BilinearUpdateData), AccumulateError> {
        let points = if let Some(secret) = key.secret() {
            let points = secret.multiply_each(&exponents(secret, plan, workers)?, workers);
            let (before, points) = points.split_first().ok_or(AccumulateError::FaultDetected)?;
            if *before != value.point() {
                return Err(AccumulateError::ValueMismatch);
            }
            points.to_vec()
        } else {
            points_of_steps(key.public(), plan, workers)?
        };
        let values = points.into_iter().map(BilinearValue::new);
        let mut values: Vec<BilinearValue> = values.collect::<Result<_, _>>()?;
        let after = values.pop().unwrap_or(*value);
        Ok((after, BilinearUpdateData(values)))
    }

    /// Cost for each witness: one multi-scalar product with one term per step. A step removes or
    /// adds one element. After many steps, recomputing all witnesses from the set or with the
    /// secret key is cheaper.
    fn update_witnesses(
        _: &BilinearPublicKey,
        witnesses: &[(BilinearElement, BilinearWitness)],
        changes: &[Change<Self>],
        workers: &Workers,
    ) -> Result<Vec<Option<BilinearWitness>>, AccumulateError> {
        let steps = Steps::new(changes)?;
        let updated = run(workers, || {
            workers.map(witnesses, |(element, witness)| {
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

/// Computes the value of the set after each step of a change, from the published powers. A step
/// removes or adds one element.
fn points_of_steps(
    key: &BilinearPublicKey,
    plan: &Plan<'_, Bilinear>,
    workers: &Workers,
) -> Result<Vec<G1Affine>, AccumulateError> {
    let mut coefficients = polynomial::product(&scalars(plan.former()), workers);
    let mut points = Vec::new();
    for element in plan.removed() {
        coefficients = divide_by_factor(&coefficients, element.scalar()).0;
        points.push(key.parameters().evaluate(&coefficients, workers)?);
    }
    for element in plan.added() {
        multiply_by_factor(&mut coefficients, element.scalar());
        points.push(key.parameters().evaluate(&coefficients, workers)?);
    }
    Ok(run(workers, || G1Projective::normalize_batch(&points)))
}

/// Computes `f(s)`, the exponent of the value, for the set before the change and after each of its
/// steps. A step removes or adds one element.
fn exponents(
    secret: &BilinearSecretKey,
    plan: &Plan<'_, Bilinear>,
    workers: &Workers,
) -> Result<Zeroizing<Vec<Fr>>, AccumulateError> {
    let product = Zeroizing::new(secret.product(&scalars(plan.former()), workers)?);
    let steps = plan.removed().iter().chain(plan.added());
    let shifted = steps.map(|element| element.scalar() + secret.scalar());
    let mut factors: Zeroizing<Vec<Fr>> = Zeroizing::new(shifted.collect());
    if factors.iter().any(Zero::is_zero) {
        return Err(AccumulateError::ElementNotAllowed);
    }
    let removals = plan.removed().len().min(factors.len());
    if let Some(divisors) = factors.get_mut(..removals) {
        run(workers, || batch_inversion(divisors));
    }
    let mut exponents = Zeroizing::new(Vec::with_capacity(factors.len().saturating_add(1)));
    let mut exponent = product;
    exponents.push(*exponent);
    for factor in factors.iter() {
        *exponent *= factor;
        exponents.push(*exponent);
    }
    Ok(exponents)
}
