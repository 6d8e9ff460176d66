//! How often a cache has an answer already.

/// The share of questions that a cache was asked before, if it is asked so often for the `i`-th of these keys as `1 / i^exponent` says, and
/// begins with nothing.
///
/// Exact for independent questions at random moments, but that ranks beyond the first thousand are taken together in groups a
/// thousandth as wide as they are far out.
pub fn hit_share(keys: f64, exponent: f64, questions: f64) -> f64 {
    let groups = || {
        let mut next = 1.0;
        core::iter::from_fn(move || {
            let first: f64 = next;
            let width = (first / 1000.0).floor().max(1.0).min(keys - first + 1.0);
            next = first + width;
            (width > 0.0).then(|| (width, (first + (width - 1.0) / 2.0).powf(-exponent)))
        })
    };
    let sum: f64 = groups().map(|(width, weight)| width * weight).sum();
    // A key that is asked for at all is not in the cache once.
    let misses = groups().map(|(width, weight)| width * -(-questions * weight / sum).exp_m1());
    1.0 - misses.sum::<f64>() / questions
}

#[cfg(test)]
mod tests {
    use comparison::random::{Random, Zipf};

    use super::*;

    #[test]
    fn as_often_as_when_they_are_drawn() {
        let (mut random, zipf) = (Random::new(1), Zipf::new(1_000_000, 0.9));
        let (questions, mut asked) = (50_000, std::collections::HashSet::new());
        let hits = (0..questions).filter(|_| !asked.insert(zipf.draw(&mut random)));
        let drawn = hits.count() as f64 / f64::from(questions);
        let computed = hit_share(1e6, 0.9, f64::from(questions));
        assert!((drawn - computed).abs() < 0.01, "{drawn} is not {computed}");
    }

    #[test]
    fn one_key_is_asked_for_once() {
        assert!((hit_share(1.0, 1.0, 1000.0) - 0.999).abs() < 1e-9);
    }
}
