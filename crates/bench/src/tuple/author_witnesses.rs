//! Variant of figure 7 in which the author makes the witnesses of accumulated tuples, with the
//! secret key, and sends them.
//!
//! Computed from a measured design, without the time of the server's accumulators. For each witness
//! that an update needs, adds the author's time to make it, and its bytes. The number of witnesses
//! was counted when the design was measured. Time and bytes of a witness are measured here.
//!
//! Source: Crosby & Wallach 2010, section 4.3 ("the author can incrementally update the n witnesses
//! in O(n) exponentiations and send them along with the update").

use pad_accumulators::{
    Accumulator, ElementSet, SecretKey as _, bilinear::Bilinear, rsa::Rsa, wire,
};
use pad_core::Workers;

use super::figure7::AUTHOR_WITNESSES;
use crate::{accumulators::elements, prelude::*, secret::FixedSecret};

/// Computes the result line of the design in `line` as if the author made its witnesses. Returns
/// `None` for designs without accumulators.
pub fn measure(line: &Line) -> Outcome<Option<Line>> {
    let (design, witnesses) = (line.text("design"), line.figure("witnesses_per_snapshot"));
    let (witness_us, witness_bytes) = match design {
        _ if witnesses.is_nan() => return Ok(None),
        design if design.contains("rsa") => witness::<Rsa>(witnesses)?,
        _ => witness::<Bilinear>(witnesses)?,
    };
    let author_us = witnesses.mul_add(witness_us, line.figure("author_us"));
    let update_bytes = witnesses.mul_add(witness_bytes, line.figure("update_overall_bytes"));
    let apply_us = line.figure("apply_us") - line.figure("accumulator_us");
    let same = "inserted keys prove_us proof_bytes cpu_cents_per_hour cents_per_gigabyte";
    let new = crate::line! {
        experiment: AUTHOR_WITNESSES, design: format!("{design}, author's witnesses"),
        witnesses_per_snapshot: witnesses, witness_us, witness_bytes, author_us, apply_us,
        update_overall_bytes: update_bytes,
    };
    let copy = |to: Line, key| to.and(key, line.get(key));
    Ok(Some(same.split(' ').fold(new, copy)))
}

/// Measures the author's microseconds and the bytes for one witness, when `number` witnesses are
/// made together.
fn witness<A: Accumulator<SecretKey: FixedSecret>>(number: f64) -> Outcome<(f64, f64)> {
    let (secret, alone) = (A::SecretKey::fixed(), Workers::sequential());
    let elements = elements(number.ceil().max(1.0) as usize);
    let set = ElementSet::<A>::from_elements(secret.public_key(), &elements, &alone)?;
    // Tables are computed when they are first used.
    A::witnesses(&secret, &set, &alone)?;
    let (us, witnesses) = stopwatch(|| A::witnesses(&secret, &set, &alone));
    let witnesses = witnesses?;
    let bytes = witnesses.iter().map(|it| wire::encode_body(it).len());
    let bytes: usize = bytes.sum();
    let number = witnesses.len() as f64;
    Ok((us / number, bytes as f64 / number))
}
