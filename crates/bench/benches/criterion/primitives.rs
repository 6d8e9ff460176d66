//! Modular arithmetic. `bench primitives` measures hashes and signatures.

use std::hint::black_box;

use criterion::{Bencher, Criterion};
use montgomery_lanes::{LANES, Moduli, Modulus, Number, Numbers};
use rug::{Complete, Integer, integer::Order};

use crate::{always, id, measure, timed};

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
        measure(criterion, "primitives::modular", &name, (count, 100), work);
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

pub(crate) fn products(criterion: &mut Criterion) {
    modular::<6, 1>(criterion, 273);
    modular::<31, 4>(criterion, 1600);
    modular::<60, 8>(criterion, 3072);
}
