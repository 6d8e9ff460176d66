//! Counts and times signatures and accumulator work on the calling thread.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use ed25519_dalek::SigningKey;
use pad_core::{HeadSignature, internals::Domain};
use signature::Signer;

use crate::{counting, primitives::signing_key, timing::microseconds};

/// Cryptography during some work on this thread: signatures made or verified, accumulators, and
/// steps of hash chains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cryptography {
    /// Number of signatures made or verified, on heads and on tuples.
    pub signatures: f64,
    /// Time of making and verifying signatures, in microseconds.
    pub signature_us: f64,
    /// Time of accumulators, in microseconds, without the time of signatures that are recorded at
    /// the same time.
    pub accumulator_us: f64,
    /// Number of steps of hash chains. They are counted only if the suite is
    /// [`crate::counting::CountingSuite`].
    pub chain_steps: f64,
}

impl Cryptography {
    /// Measures the cryptography of `work` on this thread. Calls must not be nested.
    pub fn of<R>(work: impl FnOnce() -> R) -> (Self, R) {
        SIGNATURES.set((0, Duration::ZERO));
        ACCUMULATORS.set(Duration::ZERO);
        let before = counting::so_far(Domain::HashChain);
        let result = work();
        let (signatures, time) = SIGNATURES.get();
        let own = Self {
            signatures: signatures as f64,
            signature_us: microseconds(time),
            accumulator_us: microseconds(ACCUMULATORS.get()),
            chain_steps: (counting::so_far(Domain::HashChain) - before) as f64,
        };
        (own, result)
    }

    /// Returns the total time in microseconds. Signatures and accumulators count as timed, and each
    /// chain step counts as `chain_step_ns` nanoseconds.
    pub fn us(&self, chain_step_ns: f64) -> f64 {
        self.signature_us + self.accumulator_us + self.chain_steps * chain_step_ns / 1e3
    }

    /// Divides all figures by `number`.
    #[must_use]
    pub fn divided_by(self, number: f64) -> Self {
        Self {
            signatures: self.signatures / number,
            signature_us: self.signature_us / number,
            accumulator_us: self.accumulator_us / number,
            chain_steps: self.chain_steps / number,
        }
    }
}

impl core::ops::AddAssign for Cryptography {
    fn add_assign(&mut self, other: Self) {
        self.signatures += other.signatures;
        self.signature_us += other.signature_us;
        self.accumulator_us += other.accumulator_us;
        self.chain_steps += other.chain_steps;
    }
}

/// Fixed signing key of all measurements, which times its signatures.
#[derive(Debug)]
pub struct TimedSigner(SigningKey);

impl Default for TimedSigner {
    fn default() -> Self {
        Self(signing_key())
    }
}

impl Signer<HeadSignature> for TimedSigner {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, signature::Error> {
        timed(1, || self.0.try_sign(message))
    }
}

/// Counts and times `work` as making or verifying `signatures` signatures. Of nested calls only the
/// outermost one counts.
pub fn timed<R>(signatures: usize, work: impl FnOnce() -> R) -> R {
    if WITHIN.replace(true) {
        return work();
    }
    let start = Instant::now();
    let result = work();
    let elapsed = start.elapsed();
    WITHIN.set(false);
    let (number, time) = SIGNATURES.get();
    SIGNATURES.set((number + signatures, time + elapsed));
    result
}

/// Times `work` as accumulator work: accumulating, and making or checking witnesses. Calls must not
/// be nested.
pub fn accumulated<R>(work: impl FnOnce() -> R) -> R {
    let (_, before) = SIGNATURES.get();
    let start = Instant::now();
    let result = work();
    let elapsed = start.elapsed();
    let (_, after) = SIGNATURES.get();
    let own = elapsed.saturating_sub(after.saturating_sub(before));
    ACCUMULATORS.set(ACCUMULATORS.get() + own);
    result
}

thread_local! {
    static SIGNATURES: Cell<(usize, Duration)> = const { Cell::new((0, Duration::ZERO)) };
    static ACCUMULATORS: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}
