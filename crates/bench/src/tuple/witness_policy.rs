//! Variants of figure 7 in which the work for the witnesses of accumulated tuples is divided
//! otherwise.
//!
//! In a measured run the server computes the witnesses of all tuples that an update needs, and
//! searches the primes itself. A [`Policy`] computes from the run how the costs change. The numbers
//! of witnesses and of new tuples were counted in the run. The time and the bytes of one witness,
//! of a value and of a prime are measured here.
//!
//! Source: Crosby & Wallach 2010, sections 4.3 and 5.2.

use pad_accumulators::{
    Accumulator, ElementSet, SecretKey as _,
    bilinear::Bilinear,
    rsa::{RepresentativeRule, Rsa},
    wire,
};
use pad_core::Workers;

use crate::{
    accumulators::{elements, hints},
    line,
    prelude::*,
    secret::FixedSecret,
};

/// Division of the work between author and server that differs from the measured one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The author makes the witnesses with the secret key and sends them. Source: section 4.3
    /// ("the author can incrementally update the n witnesses in O(n) exponentiations and send them
    /// along with the update").
    Author,
    /// The server makes a witness only when a lookup needs it. The author sends the values, which
    /// the server otherwise computes from witnesses. Source: section 4.3 ("The server could
    /// compute witnesses lazily upon lookup requests at a cost of O(n) exponentiations").
    ///
    /// Counts only the witness in the oldest generation, and no work of the server for an update.
    /// So the true cost is higher.
    Lazy,
    /// The author sends the offset of each prime, which the server then checks instead of
    /// searching it. Only RSA. Primes are searched one at a time here, so a server that searches
    /// several at once saves less. Source: section 5.2.
    PrimeOffsets,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Author, Self::Lazy, Self::PrimeOffsets];

    /// Value of `experiment` in result lines of designs with this policy.
    pub const fn experiment(self) -> &'static str {
        match self {
            Self::Author => "tuple_author_witnesses",
            Self::Lazy => "tuple_lazy_witnesses",
            Self::PrimeOffsets => "tuple_prime_offsets",
        }
    }

    /// Name of the policy in designs and titles.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Author => "author's witnesses",
            Self::Lazy => "lazy witnesses",
            Self::PrimeOffsets => "prime offsets",
        }
    }

    /// Computes the result line of the measured design in `line` under this policy. Returns `None`
    /// for designs without accumulators, and where the policy does not apply.
    pub fn measure(self, line: &Line) -> Outcome<Option<Line>> {
        if line.number("witnesses_per_snapshot").is_none() {
            return Ok(None);
        }
        let is_rsa = line.text("design").contains("rsa");
        let changed = match self {
            Self::Author if is_rsa => author::<Rsa>(line)?,
            Self::Author => author::<Bilinear>(line)?,
            Self::Lazy if is_rsa => lazy::<Rsa>(line)?,
            Self::Lazy => lazy::<Bilinear>(line)?,
            Self::PrimeOffsets if is_rsa => prime_offsets(line)?,
            Self::PrimeOffsets => return Ok(None),
        };
        let same = "inserted keys author_us update_overall_bytes apply_us prove_us proof_bytes \
            cpu_cents_per_hour cents_per_gigabyte";
        let start = line! {
            experiment: self.experiment(),
            design: format!("{}, {}", line.text("design"), self.name()),
        };
        let copy = |to: Line, key| to.and(key, line.get(key));
        Ok(Some(
            same.split_whitespace().fold(start, copy).merged(&changed),
        ))
    }
}

/// Adds the author's time and the bytes for each witness. Omits the server's accumulators.
fn author<A: Accumulator<SecretKey: FixedSecret>>(line: &Line) -> Outcome<Line> {
    let witnesses = line.figure("witnesses_per_snapshot");
    let (secret, alone) = (A::SecretKey::fixed(), Workers::sequential());
    let set = set_of::<A>(secret.public_key(), witnesses)?;
    // Tables are computed when they are first used.
    A::witnesses(&secret, &set, &alone)?;
    let (us, made) = stopwatch(|| A::witnesses(&secret, &set, &alone));
    let made = made?;
    let bytes: usize = made.iter().map(|it| wire::encode_body(it).len()).sum();
    let number = made.len() as f64;
    let (witness_us, witness_bytes) = (us / number, bytes as f64 / number);
    Ok(line! {
        witnesses_per_snapshot: witnesses, witness_us, witness_bytes,
        author_us: witnesses.mul_add(witness_us, line.figure("author_us")),
        apply_us: line.figure("apply_us") - line.figure("accumulator_us"),
        update_overall_bytes:
            witnesses.mul_add(witness_bytes, line.figure("update_overall_bytes")),
    })
}

/// Adds the server's time for a witness to each lookup, and the bytes of a value to each update.
/// Omits the server's accumulators.
fn lazy<A: Accumulator<SecretKey: FixedSecret>>(line: &Line) -> Outcome<Line> {
    let (secret, alone) = (A::SecretKey::fixed(), Workers::sequential());
    let public = secret.public_key();
    let set = set_of::<A>(public, line.figure("inserted"))?;
    let first = &elements(1)[0];
    A::witness(public, &set_of::<A>(public, 1.0)?, first, &alone)?;
    let (witness_us, witness) = stopwatch(|| A::witness(public, &set, first, &alone));
    let witness_bytes = wire::encode_body(&witness?).len();
    let value_bytes = wire::encode_body(&A::accumulate(&secret, &set, &alone)?).len();
    Ok(line! {
        witness_us, witness_bytes, value_bytes,
        apply_us: line.figure("apply_us") - line.figure("accumulator_us"),
        prove_us: line.figure("prove_us") + witness_us,
        update_overall_bytes: line.figure("update_overall_bytes") + value_bytes as f64,
    })
}

/// Omits the server's search of each prime, and adds the check and the bytes of its offset.
fn prime_offsets(line: &Line) -> Outcome<Line> {
    let created = line.figure("new_tuples_per_snapshot");
    let [search_us, check_us, _] = hints::times(RepresentativeRule::default(), PRIMES)?;
    let saved_us = created * (search_us - check_us);
    Ok(line! {
        new_tuples_per_snapshot: created, search_us, check_us,
        apply_us: line.figure("apply_us") - saved_us,
        update_overall_bytes:
            created.mul_add(hints::HINT_BYTES as f64, line.figure("update_overall_bytes")),
    })
}

/// Number of primes that are searched for the mean time of one.
const PRIMES: u32 = 200;

/// Makes a set of at least `number` elements.
fn set_of<A: Accumulator>(key: &A::PublicKey, number: f64) -> Outcome<ElementSet<A>> {
    let elements = elements(number.ceil().max(1.0) as usize);
    Ok(ElementSet::from_elements(
        key,
        &elements,
        &Workers::sequential(),
    )?)
}
