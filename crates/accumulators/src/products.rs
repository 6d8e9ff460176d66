//! Products of many factors, and of all factors but one, sequentially or in parallel. Both
//! accumulators compute their exponents by these functions.
//!
//! Multiplication may be any associative operation, so the order of factors is preserved. The work
//! is split into one chunk per thread. A parallel prefix (Blelloch 1990) joins the chunks.
//!
//! Source: Tremel 2013, sections 3.1 and 4.1 (left-side and right-side products).

use pad_core::Workers;

/// Computes the product of all factors, or `None` if there are none.
///
/// Cost: `n - 1` multiplications, spread over the workers.
#[cfg(feature = "rsa")]
pub(crate) fn product<T: Clone + Send + Sync>(
    factors: &[T],
    multiply: impl Fn(&T, &T) -> T + Sync,
    workers: &Workers,
) -> Option<T> {
    let reduce = |chunk: &[T]| {
        let (first, rest) = chunk.split_first()?;
        Some(
            rest.iter()
                .fold(first.clone(), |left, right| multiply(&left, right)),
        )
    };
    let partial = workers.map(&chunks(factors, workers), |chunk| reduce(chunk));
    reduce(&partial.into_iter().flatten().collect::<Vec<T>>())
}

/// Computes for each factor the product of all others, or `one` if there is only one factor.
///
/// Cost: `3n` multiplications: left-side products, right-side products, and their joins. Several
/// threads need `n` more, for the totals of their chunks.
pub(crate) fn products_of_others<T: Clone + Send + Sync>(
    factors: &[T],
    one: &T,
    multiply: impl Fn(&T, &T) -> T + Sync,
    workers: &Workers,
) -> Vec<T> {
    let chunks = chunks(factors, workers);
    if let [chunk] = *chunks {
        return with_outside(chunk, one, one, &multiply);
    }
    let totals = workers.map(&chunks, |chunk| {
        let factors = chunk.iter();
        factors.fold(one.clone(), |left, right| multiply(&left, right))
    });
    let before = exclusive_prefixes(&totals, one, &multiply);
    let after = exclusive_suffixes(&totals, one, &multiply);
    let surrounded: Vec<_> = chunks.into_iter().zip(before.iter().zip(&after)).collect();
    let products = workers.map(&surrounded, |(chunk, (before, after))| {
        with_outside(chunk, before, after, &multiply)
    });
    products.into_iter().flatten().collect()
}

/// Computes one product for each factor of the chunk: `before`, times the other factors of the
/// chunk, times `after`.
fn with_outside<T: Clone>(
    chunk: &[T],
    before: &T,
    after: &T,
    multiply: &impl Fn(&T, &T) -> T,
) -> Vec<T> {
    let right = exclusive_suffixes(chunk, after, multiply);
    let mut left = before.clone();
    chunk
        .iter()
        .zip(right)
        .map(|(factor, right)| {
            let others = multiply(&left, &right);
            left = multiply(&left, factor);
            others
        })
        .collect()
}

/// Computes the prefix products `start`, `start * x_0`, `start * x_0 * x_1`, and so on, one per
/// factor `x_i`. The product of all factors is left out.
fn exclusive_prefixes<T: Clone>(
    factors: &[T],
    start: &T,
    multiply: &impl Fn(&T, &T) -> T,
) -> Vec<T> {
    let mut product = start.clone();
    let mut prefixes = Vec::with_capacity(factors.len());
    for factor in factors {
        let next = multiply(&product, factor);
        prefixes.push(core::mem::replace(&mut product, next));
    }
    prefixes
}

/// Computes the suffix products, one per factor `x_i`: the product of all later factors, times
/// `end`. The last one is `end`.
fn exclusive_suffixes<T: Clone>(factors: &[T], end: &T, multiply: &impl Fn(&T, &T) -> T) -> Vec<T> {
    let mut product = end.clone();
    let mut suffixes = Vec::with_capacity(factors.len());
    for factor in factors.iter().rev() {
        let next = multiply(factor, &product);
        suffixes.push(core::mem::replace(&mut product, next));
    }
    suffixes.reverse();
    suffixes
}

/// Splits the factors into consecutive chunks, at most one per thread.
fn chunks<'a, T>(factors: &'a [T], workers: &Workers) -> Vec<&'a [T]> {
    let length = factors.len().div_ceil(workers.threads());
    factors.chunks(length.max(1)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::workers;

    /// Strings: joining them is associative but not commutative, so a swapped order is detected.
    fn join(left: &String, right: &String) -> String {
        format!("{left}{right}")
    }

    proptest! {
        #[test]
        fn products_keep_the_order_for_every_thread_count(
            factors in prop::collection::vec("[a-z]{1,2}", 0..40),
            threads in 1_usize..5,
        ) {
            let workers = workers(threads);
            let whole = factors.concat();
            let expected = (!factors.is_empty()).then_some(whole);
            prop_assert_eq!(product(&factors, join, &workers), expected);
            let others = products_of_others(&factors, &String::new(), join, &workers);
            let expected: Vec<String> = (0..factors.len())
                .map(|skipped| {
                    let mut rest = factors.clone();
                    rest.remove(skipped);
                    rest.concat()
                })
                .collect();
            prop_assert_eq!(others, expected);
        }
    }
}
