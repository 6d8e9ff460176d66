//! Time to generate the keys of each family of schemes, and the bytes of these keys.
//!
//! Every family also uses a signing key, which is listed once. Trees and block directories use no
//! other key.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use flexlist::tag::{OwnerKey, TagKind};
use pad_accumulators::{
    SecretKey as _,
    bilinear::BilinearSecretKey,
    rsa::{KeyError, KeySize, RepresentativeRule, RsaSecretKey},
    wire,
};
use pad_core::Workers;
use pad_log::{AadCounted, Schedule, Setup, Shape};
use pad_tuple::{
    BlsSecretKey, ChainSecret,
    internals::{KeyBytes, PublicBytes as _},
};

use super::Plan;
use crate::{aad::parameters, flexlist::audit::is_slow, line, prelude::*, secret::rsa_factors};

/// Bytes of a key: the secret key, the public key that servers need, and the public key that
/// verifiers need.
type Sizes = [usize; 3];

/// Generates a key of every kind, and at most `RSA_KEYS` RSA keys of each length within the time
/// limit.
pub fn run(plan: &Plan, report: &mut Report) -> Outcome<()> {
    one(report, "signatures, ed25519", None, || {
        let key = signing_key();
        let public = key.verifying_key().to_bytes().len();
        Ok([key.to_bytes().len(), public, public])
    })?;
    one(report, "signatures, bls12-381", None, || {
        let key = BlsSecretKey::from_seed(&[7; 32]);
        let public = key.public_key().to_vec().len();
        Ok([BlsSecretKey::LENGTH.unwrap_or(0), public, public])
    })?;
    let chain_bytes = ChainSecret::LENGTH.unwrap_or(0);
    one(report, "hash chains", None, || Ok([chain_bytes, 0, 0]))?;
    for n in plan.sizes() {
        one(report, "bilinear-bls12-381", Some(n), || bilinear(n))?;
        one(report, "append-only logs, counted", Some(n), || log(n))?;
    }
    for kind in TagKind::ALL {
        if plan.manner.quick && is_slow(kind) {
            continue;
        }
        one(report, &format!("tags, {kind}"), None, || {
            let owner = OwnerKey::generate(kind, &Workers::sequential())?;
            Ok([
                owner.to_bytes().len(),
                owner.server_parameters().to_bytes().len(),
                owner.verifier().to_bytes().len(),
            ])
        })?;
    }
    for size in [KeySize::Bits2048, KeySize::Bits3072] {
        report.announce(format!("keys: rsa-{}", size.bits()));
        report.measured(rsa(plan, size)?)?;
    }
    Ok(())
}

/// Times `make`, which generates one key of `kind`, and reports the time and the key's bytes. `n`
/// is the maximum number of elements, for keys that limit it.
fn one(
    report: &mut Report,
    kind: &str,
    n: Option<usize>,
    make: impl FnOnce() -> Outcome<Sizes>,
) -> Outcome<()> {
    report.announce(format!("keys: {kind}"));
    let (us, sizes) = stopwatch(make);
    report.measured(sized(kind, n, sizes?).and("seconds", us / 1e6))
}

fn bilinear(n: usize) -> Outcome<Sizes> {
    let secret = BilinearSecretKey::generate(n, 1, b"bench", &Workers::sequential())?;
    let parameters = secret.public_key().parameters();
    Ok([
        secret.to_bytes().len(),
        wire::encode(parameters).len(),
        wire::encode(&parameters.for_verification()).len(),
    ])
}

/// Generates the public parameters of a log of `n` entries, and returns their bytes. In real use no
/// party knows the secret behind them, so the bytes of the secret key are 0.
fn log(n: usize) -> Outcome<Sizes> {
    let level = u8::try_from(n.next_power_of_two().ilog2())?.max(LOWEST_TOP_LEVEL);
    let parameters = parameters::<AadCounted>(1 << level)?;
    let server = wire::encode(&*parameters).len();
    let shape = Shape::new(level, Schedule::Eager).ok_or("no such shape")?;
    Ok([0, server, Setup::new(parameters, shape).to_bytes().len()])
}

/// Smallest allowed level for the largest tree of a log: room for 2^4 entries.
const LOWEST_TOP_LEVEL: u8 = 4;

fn sized(kind: &str, n: Option<usize>, [secret, server, verifier]: Sizes) -> Line {
    line! {
        experiment: "accumulators_keys", kind, n, threads: 1, secret_bytes: secret,
        public_bytes: server, verifier_bytes: verifier,
    }
}

/// Maximum number of RSA keys of each length.
const RSA_KEYS: usize = 5;

/// Generates RSA keys of one length, until there are [`RSA_KEYS`] keys or the time is over. The
/// time is half of the longest expected time of one operation, or 50 ms in a quick run. The line
/// has the mean seconds.
fn rsa(plan: &Plan, size: KeySize) -> Outcome<Line> {
    let longest = if plan.manner.quick {
        Duration::from_millis(50)
    } else {
        Duration::from_secs(plan.longest) / 2
    };
    let (start, mut seconds) = (Instant::now(), Vec::new());
    while seconds.len() < RSA_KEYS && start.elapsed() < longest {
        let mut progress = |_: pad_accumulators::rsa::Progress| {
            if start.elapsed() < longest {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let (us, made) = stopwatch(|| {
            let (rule, alone) = (RepresentativeRule::default(), Workers::sequential());
            RsaSecretKey::generate(size, rule, b"bench", &alone, &mut progress)
        });
        match made {
            Ok(_) => seconds.push(us / 1e6),
            Err(KeyError::Cancelled) => break,
            Err(error) => return Err(error.into()),
        }
    }
    let mean = (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64);
    let line = sized(&format!("rsa-{}", size.bits()), None, rsa_sizes(size)?);
    Ok(line.with("seconds", mean))
}

/// Returns the sizes in bytes of an RSA key of length `size`. They are equal for all keys of one
/// length.
fn rsa_sizes(size: KeySize) -> Outcome<Sizes> {
    let (p, q) = rsa_factors()?;
    let known = RsaSecretKey::from_primes(p, q, RepresentativeRule::default(), b"bench")?;
    let shorter = KeySize::Bits3072.bits().saturating_sub(size.bits()) as usize / 8;
    let public = wire::encode(known.public_key().parameters()).len() - shorter;
    Ok([known.to_bytes().len() - shorter, public, public])
}
