//! Simultaneous exponentiation: many powers of one base, or products of powers.
//!
//! All functions are variable-time and meant for public exponents.

use core::borrow::Borrow;

use pad_core::Workers;
use rug::{Complete, Integer};

use crate::{
    digits::{Digits, power_of_two, to_usize, window_of_least_cost},
    modular_group::ModularGroup,
};

#[cfg(test)]
mod tests;

/// Computes the product of all factors, or 1 without factors. The balanced tree lets GMP multiply
/// numbers of equal length.
///
/// Cost: `O(M(b) log n)` for `n` factors and a product of `b` bits, where `M(b)` is the cost of
/// multiplying two numbers of `b` bits.
pub fn product<'a>(factors: impl IntoIterator<Item = &'a Integer>, workers: &Workers) -> Integer {
    let factors: Vec<&Integer> = factors.into_iter().collect();
    let mut level: Vec<Integer> = factors.chunks(2).map(pair_product::<&Integer>).collect();
    while level.len() > 1 {
        let pairs: Vec<&[Integer]> = level.chunks(2).collect();
        level = workers.map(&pairs, |pair| pair_product(pair));
    }
    level.pop().unwrap_or_else(|| Integer::from(1))
}

/// Computes the product of one or two factors.
fn pair_product<T: Borrow<Integer>>(pair: &[T]) -> Integer {
    match pair {
        [left, right] => (left.borrow() * right.borrow()).complete(),
        [single] => single.borrow().clone(),
        _ => Integer::from(1),
    }
}

/// Computes `base^e` for each exponent `e`, with one chain of squarings for all. Returns the powers
/// in the order of the exponents.
///
/// * Input: nonnegative exponents.
/// * Cost: `b` squarings and `k (b / w + 2^(w + 1))` products, with `b` bits in the longest of `k`
///   exponents and a window of `w` bits. The window with the least cost is chosen.
///
/// Source: Yao 1976, "On the evaluation of powers"; buckets as in Brickell, Gordon, `McCurley` &
/// Wilson 1992.
pub fn powers_of_one_base<G: ModularGroup>(
    group: &G,
    base: &G::Element,
    exponents: &[&Integer],
) -> Vec<G::Element> {
    if let [exponent] = exponents {
        return vec![group.power(base, exponent)];
    }
    let digits: Vec<Digits> = exponents.iter().copied().map(Digits::new).collect();
    let bits = longest(&digits);
    let window = window_of_least_cost(|window| {
        let positions = to_usize(bits.div_ceil(window));
        exponents
            .len()
            .saturating_mul(positions.saturating_add(bucket_cost(window)))
    });
    let mut buckets: Vec<Buckets<G>> = digits.iter().map(|_| Buckets::new(window)).collect();
    let mut power = base.clone();
    let mut position = 0;
    while position < bits {
        for (digits, buckets) in digits.iter().zip(&mut buckets) {
            buckets.multiply(group, digits.at(position, window), &power);
        }
        position = position.saturating_add(window);
        if position < bits {
            power = group.square_times(&power, window);
        }
    }
    let powers = buckets.iter().map(|buckets| buckets.combine(group));
    powers.collect()
}

/// Computes `base^e` for each base and each of the exponents at its index. Returns for each base
/// its powers in the order of its exponents.
///
/// * Input: nonnegative exponents.
/// * Cost: as [`powers_of_one_base`] for each base, spread over the workers. A group with lanes
///   raises several bases together ([`ModularGroup::powers_at_once`]).
pub fn powers_of_bases<G: ModularGroup>(
    group: &G,
    bases: &[G::Element],
    exponents: &[Vec<&Integer>],
    workers: &Workers,
) -> Vec<Vec<G::Element>> {
    debug_assert_eq!(bases.len(), exponents.len(), "exponents for each base");
    // With fewer bases than threads, the first powers of all bases are one task, the second powers
    // another. This is faster, although the powers of a base then share no squarings.
    if bases.len() < workers.threads() {
        let single = |index: usize| -> Vec<Vec<&Integer>> {
            let of_base = exponents.iter().map(|exponents| exponents.get(index));
            of_base
                .map(|exponent| exponent.into_iter().copied().collect())
                .collect()
        };
        let most = exponents.iter().map(Vec::len).max().unwrap_or(0);
        let columns: Vec<Vec<Vec<&Integer>>> = (0..most).map(single).collect();
        let powers = workers.map(&columns, |exponents| {
            in_lanes(group, bases, exponents, workers)
        });
        let mut rows: Vec<Vec<G::Element>> = bases.iter().map(|_| Vec::new()).collect();
        for column in powers {
            for (row, powers) in rows.iter_mut().zip(column) {
                row.extend(powers);
            }
        }
        return rows;
    }
    in_lanes(group, bases, exponents, workers)
}

/// Computes the powers of several bases at once, at most as many as the group has lanes.
fn in_lanes<G: ModularGroup>(
    group: &G,
    bases: &[G::Element],
    exponents: &[Vec<&Integer>],
    workers: &Workers,
) -> Vec<Vec<G::Element>> {
    let share = bases.len().div_ceil(workers.threads());
    let length = share.clamp(1, group.lanes().max(1));
    let tasks: Vec<_> = bases.chunks(length).zip(exponents.chunks(length)).collect();
    let powers = workers.map(&tasks, |(bases, exponents)| {
        let one_by_one = || {
            let pairs = bases.iter().zip(*exponents);
            pairs
                .map(|(base, exponents)| powers_of_one_base(group, base, exponents))
                .collect()
        };
        let bases: Vec<&G::Element> = bases.iter().collect();
        let exponents: Vec<&[&Integer]> = exponents.iter().map(Vec::as_slice).collect();
        group
            .powers_at_once(&bases, &exponents)
            .unwrap_or_else(one_by_one)
    });
    powers.into_iter().flatten().collect()
}

/// Computes the product of all `base_i^(e_i)`, each base raised to the exponent at its index.
///
/// * Input: as many bases as exponents, which are nonnegative.
/// * Cost: `b` squarings and about `n b / w` products, with `b` bits in the longest of `n`
///   exponents. The window `w` grows with the logarithm of `n`.
///
/// Source: Straus 1964, "Addition chains of vectors", for few bases; Pippenger 1976, "On the
/// evaluation of powers and related problems", for many bases.
pub fn multi_power<G: ModularGroup>(
    group: &G,
    bases: &[G::Element],
    exponents: &[Integer],
) -> G::Element {
    debug_assert_eq!(bases.len(), exponents.len(), "one exponent for each base");
    if let Some(power) = group.multi_power(bases, exponents) {
        return power;
    }
    let digits: Vec<Digits> = exponents.iter().map(Digits::new).collect();
    let bits = longest(&digits);
    let count = bases.len();
    let bucket_products = |window: u32| {
        let positions = to_usize(bits.div_ceil(window));
        positions.saturating_mul(count.saturating_add(bucket_cost(window)))
    };
    let table_products = |window: u32| {
        let positions = to_usize(bits.div_ceil(window));
        count.saturating_mul(positions.saturating_add(power_of_two(window)))
    };
    let by_buckets = window_of_least_cost(bucket_products);
    let by_tables = window_of_least_cost(table_products);
    if table_products(by_tables) < bucket_products(by_buckets) {
        let tables: Vec<_> = bases
            .iter()
            .map(|base| small_powers(group, base, by_tables))
            .collect();
        from_the_top(group, bits, by_tables, |position, power| {
            for (digits, table) in digits.iter().zip(&tables) {
                let digit = digits.at(position, by_tables);
                if let Some(factor) = digit.checked_sub(1).and_then(|index| table.get(index)) {
                    *power = Some(times(group, power.take(), factor));
                }
            }
        })
    } else {
        from_the_top(group, bits, by_buckets, |position, power| {
            let mut buckets = Buckets::new(by_buckets);
            for (digits, base) in digits.iter().zip(bases) {
                buckets.multiply(group, digits.at(position, by_buckets), base);
            }
            if let Some(sum) = buckets.total(group) {
                *power = Some(times(group, power.take(), &sum));
            }
        })
    }
}

/// Computes `g^exponent` from the table of `g^(2^(stride i))` for `i = 0, 1, ...`. The table has an
/// entry for every `stride` bits of the exponent.
///
/// Cost: a product for each digit, and two for each bucket.
pub(crate) fn power_of_table<G: ModularGroup>(
    group: &G,
    entries: &[G::Element],
    stride: u32,
    exponent: &Integer,
    workers: &Workers,
) -> G::Element {
    let digits = Digits::new(exponent);
    let window = window_of_least_cost(|window| {
        let positions = to_usize(stride.div_ceil(window));
        positions.saturating_mul(entries.len().saturating_add(bucket_cost(window)))
    });
    let positions: Vec<u32> = (0..stride.div_ceil(window))
        .map(|index| index.saturating_mul(window))
        .collect();
    // The product of the entries, each raised to the exponent's digit at `position` of its stride.
    let sums = workers.map(&positions, |position| {
        // The last digit of a stride may be shorter.
        let width = window.min(stride.saturating_sub(*position));
        let mut buckets = Buckets::new(width);
        for (index, entry) in (0_u32..).zip(entries) {
            let start = index.saturating_mul(stride).saturating_add(*position);
            buckets.multiply(group, digits.at(start, width), entry);
        }
        buckets.total(group)
    });
    let mut power: Option<G::Element> = None;
    for sum in sums.iter().rev() {
        power = power.map(|power| group.square_times(&power, window));
        if let Some(sum) = sum {
            power = Some(times(group, power, sum));
        }
    }
    power.unwrap_or_else(|| group.one())
}

/// Computes a power from the highest window of the exponents to the lowest. Squares once per bit.
/// After the squarings of a window, `multiply` multiplies the window's factors into the result. It
/// gets the position of the window's lowest bit.
fn from_the_top<G: ModularGroup>(
    group: &G,
    bits: u32,
    window: u32,
    mut multiply: impl FnMut(u32, &mut Option<G::Element>),
) -> G::Element {
    let mut power: Option<G::Element> = None;
    for index in (0..bits.div_ceil(window)).rev() {
        power = power.map(|power| group.square_times(&power, window));
        multiply(index.saturating_mul(window), &mut power);
    }
    power.unwrap_or_else(|| group.one())
}

/// Computes the powers `base^1`, ..., `base^(2^window - 1)`, one for each nonzero digit of `window`
/// bits.
fn small_powers<G: ModularGroup>(group: &G, base: &G::Element, window: u32) -> Vec<G::Element> {
    let mut powers = Vec::with_capacity(power_of_two(window));
    let mut power = base.clone();
    for _ in 2..power_of_two(window) {
        let next = group.multiply(&power, base);
        powers.push(core::mem::replace(&mut power, next));
    }
    powers.push(power);
    powers
}

/// The bucket method of exponentiation: for each digit other than 0, the product of all factors
/// that have this digit.
pub(crate) struct Buckets<G: ModularGroup> {
    products: Vec<Option<G::Element>>,
}

impl<G: ModularGroup> Buckets<G> {
    /// Creates empty buckets for the digits of a window of `window` bits.
    pub(crate) fn new(window: u32) -> Self {
        Self {
            products: vec![None; power_of_two(window).saturating_sub(1)],
        }
    }

    /// Multiplies the bucket of `digit` by `factor`. The digit 0 has no bucket and is ignored.
    pub(crate) fn multiply(&mut self, group: &G, digit: usize, factor: &G::Element) {
        if let Some(bucket) = digit
            .checked_sub(1)
            .and_then(|index| self.products.get_mut(index))
        {
            *bucket = Some(times(group, bucket.take(), factor));
        }
    }

    /// Computes the product of `bucket_d^d` over all digits `d`, or returns `None` if all buckets
    /// are empty.
    ///
    /// Cost: two products per bucket.
    pub(crate) fn total(&self, group: &G) -> Option<G::Element> {
        let mut running: Option<G::Element> = None;
        let mut total: Option<G::Element> = None;
        for bucket in self.products.iter().rev() {
            if let Some(factor) = bucket {
                running = Some(times(group, running, factor));
            }
            if let Some(running) = &running {
                total = Some(times(group, total, running));
            }
        }
        total
    }

    fn combine(&self, group: &G) -> G::Element {
        self.total(group).unwrap_or_else(|| group.one())
    }
}

/// Multiplies two elements, where `left = None` is the neutral element and costs nothing.
pub(crate) fn times<G: ModularGroup>(
    group: &G,
    left: Option<G::Element>,
    right: &G::Element,
) -> G::Element {
    left.map_or_else(|| right.clone(), |left| group.multiply(&left, right))
}

fn longest(digits: &[Digits]) -> u32 {
    digits.iter().map(Digits::bits).max().unwrap_or(0)
}

/// Number of products by which [`Buckets::total`] combines the buckets of one window.
fn bucket_cost(window: u32) -> usize {
    power_of_two(window).saturating_mul(2)
}
