//! Primitives: hashes and signatures of the three suites, and modular arithmetic.

use std::hint::black_box;

use bench::{
    fixture::id,
    primitives::{author_key, signing_key},
};
use criterion::{Bencher, Criterion, Throughput};
use ed25519_dalek::Signer;
use montgomery_lanes::{LANES, Moduli, Modulus, Number, Numbers};
use pad_core::{Blake3Ed25519, Paper2010, Sha256Ed25519, Suite, internals::Domain};
use pad_tuple::internals::chain;
use rug::{Complete, Integer, integer::Order};

use crate::{Each, ONE, always, measure, timed};

fn hashes<S: Suite>(criterion: &mut Criterion) {
    let (left, right) = (S::value(b"left"), S::value(b"right"));
    assert_ne!(
        S::node(Domain::TreeNode, &left, &right),
        S::node(Domain::TreeNode, &right, &left),
        "bench: order matters"
    );
    let mut hash = |what: &str, throughput, work: &mut dyn FnMut(&mut Bencher<'_>)| {
        let name = id(&[("suite", &S::NAME), ("of", &what)]);
        let each = Each(throughput, 100);
        measure(criterion, "primitives::hash", &name, each, work);
    };
    hash("node", Throughput::Elements(1), &mut |bencher| {
        timed(bencher, || {
            always(S::node(
                Domain::TreeNode,
                black_box(&left),
                black_box(&right),
            ))
        });
    });
    hash("leaf", Throughput::Elements(1), &mut |bencher| {
        timed(bencher, || {
            always(S::leaf(black_box(b"01234567"), black_box(&left)))
        });
    });
    for length in [32_u32, 1 << 10, 64 << 10] {
        let value: Vec<u8> = (0..length).map(|i| i.to_le_bytes()[0]).collect();
        let rest = S::value(&value[1..]);
        assert_ne!(S::value(&value), rest, "bench: every byte matters");
        let throughput = Throughput::Bytes(length.into());
        hash(&format!("value_{length}"), throughput, &mut |bencher| {
            timed(bencher, || always(S::value(black_box(&value))));
        });
    }
}

fn signatures(criterion: &mut Criterion) {
    let (signer, public, message) = (signing_key(), author_key(), [7; 124]);
    let signature = signer.sign(&message);
    assert_eq!(public.verify(&message, &signature), Ok(()));
    let group = "primitives::signature";
    measure(criterion, group, "do=sign", ONE, &mut |bencher| {
        timed(bencher, || always(signer.sign(black_box(&message))));
    });
    measure(criterion, group, "do=verify", ONE, &mut |bencher| {
        timed(bencher, || {
            public.verify(black_box(&message), black_box(&signature))
        });
    });
}

/// Benches a step of a hash chain, as in tuple designs.
fn chain_step(criterion: &mut Criterion) {
    let start = Sha256Ed25519::value(b"start");
    let group = "primitives::chain";
    measure(criterion, group, "do=step", ONE, &mut |bencher| {
        timed(bencher, || {
            always(chain::walk::<Sha256Ed25519>(black_box(start), &start, 1))
        });
    });
}

/// Benches products and squares modulo a number of `bits` bits, which fits `LIMBS` limbs and `ROWS`
/// rows of limbs: in lanes, and beside them a product with its remainder by GMP.
fn modular<const LIMBS: usize, const ROWS: usize>(criterion: &mut Criterion, bits: u32) {
    let modulus: Integer = (Integer::from(1) << bits) - 1_u32;
    let factor = (&modulus / 3_u32).complete();
    let one = |number: &Integer| -> Number<ROWS> {
        Number::from_words(&number.to_digits::<u64>(Order::Lsf)).expect("it fits")
    };
    let eight = |number: &Integer| -> Numbers<LIMBS> {
        Numbers::splat_number(&one(number)).expect("it fits")
    };
    let moduli = Moduli::new(&eight(&modulus)).expect("odd");
    let single = Modulus::new(&one(&modulus)).expect("odd");
    let form = moduli.to_form(&eight(&factor));
    let form_of_one = single.to_form(&one(&factor));
    let product = (&factor * &factor).complete() % &modulus;
    assert_eq!(moduli.from_form(&moduli.mul(&form, &form)), eight(&product));
    assert_eq!(
        single.from_form(&single.mul(&form_of_one, &form_of_one)),
        one(&product)
    );

    let mut bench = |what: &str, count, work: &mut dyn FnMut(&mut Bencher<'_>)| {
        let name = id(&[("bits", &bits), ("of", &what)]);
        let each = Each(Throughput::Elements(count), 100);
        measure(criterion, "primitives::modular", &name, each, work);
    };
    let lanes = u64::try_from(LANES).expect("eight");
    bench("eight_products", lanes, &mut |bencher| {
        timed(bencher, || always(moduli.mul(black_box(&form), &form)));
    });
    bench("eight_squares", lanes, &mut |bencher| {
        timed(bencher, || always(moduli.square_times(black_box(&form), 1)));
    });
    bench("one_product", 1, &mut |bencher| {
        timed(bencher, || {
            always(single.mul(black_box(&form_of_one), &form_of_one))
        });
    });
    bench("product_by_gmp", 1, &mut |bencher| {
        timed(bencher, || {
            always((black_box(&factor) * &factor).complete() % &modulus)
        });
    });
}

pub(crate) fn suites(criterion: &mut Criterion) {
    hashes::<Sha256Ed25519>(criterion);
    hashes::<Blake3Ed25519>(criterion);
    hashes::<Paper2010>(criterion);
    signatures(criterion);
    chain_step(criterion);
    modular::<6, 1>(criterion, 273);
    modular::<31, 4>(criterion, 1600);
    modular::<60, 8>(criterion, 3072);
}
