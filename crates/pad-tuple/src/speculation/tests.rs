use super::*;

/// Returns, for each generation, the snapshots that merge into it. Every snapshot changes
/// `operations` keys that no younger generation has.
fn merges(
    speculation: Speculation,
    generations: usize,
    keys: usize,
    operations: usize,
    snapshots: usize,
) -> Vec<Vec<usize>> {
    let mut sizes = vec![1; generations];
    sizes[generations - 1] = keys;
    let mut merges = vec![Vec::new(); generations];
    for snapshot in 1..=snapshots {
        let merged = speculation.merged(&sizes, keys, operations, to_float(operations));
        let gathered: usize = sizes[..merged].iter().map(|size| size - 1).sum();
        if merged + 1 < generations {
            sizes[merged] += gathered + operations;
        }
        sizes[..merged].fill(1);
        merges[merged].push(snapshot);
    }
    merges
}

fn gaps(snapshots: &[usize]) -> Vec<usize> {
    snapshots.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn balanced_merges_two_generations_after_the_root_of_keys_by_changes() {
    for (keys, operations, expected) in [
        (10_000, 1, 100),
        (10_000, 4, 50),
        (1_000_000, 100, 100),
        (900, 9, 10),
        (100, 100, 1),
        (10, 1000, 1),
    ] {
        let merges = merges(Speculation::Balanced, 2, keys, operations, 1000);
        for gap in gaps(&merges[1]) {
            let is_near = gap.abs_diff(expected) <= 1;
            assert!(is_near, "{keys} keys, {operations} changes: {gap}");
        }
        assert!(merges[1].len() >= 9);
    }
}

/// With `n = 1000` and `K = 1` the limits are `n^(1/3) = 10` and `n^(2/3) = 100`.
#[test]
fn balanced_merges_three_generations_in_proportion() {
    let merges = merges(Speculation::Balanced, 3, 1000, 1, 2000);
    let younger: Vec<usize> = gaps(&merges[1]);
    let mean = younger.iter().sum::<usize>() / younger.len();
    assert!((9..=12).contains(&mean), "{mean}");
    for gap in gaps(&merges[2]) {
        assert!((90..=110).contains(&gap), "{gap}");
    }
}

#[test]
fn sizes_are_powers() {
    let size = |size| Speculation::Size(NonZeroUsize::new(size).expect("not zero"));
    // Generation 0 up to 4, generation 1 up to 16 with the tuples that come from generation 0.
    let merged = |sizes: &[usize], operations| size(4).merged(sizes, 1000, operations, 1.0);
    assert_eq!(merged(&[1, 1, 1000], 2), 0);
    assert_eq!(merged(&[1, 1, 1000], 3), 1);
    assert_eq!(merged(&[3, 11, 1000], 1), 1);
    assert_eq!(merged(&[3, 12, 1000], 1), 2);
    assert_eq!(merged(&[3, 12, 1000], 0), 0);
    assert_eq!(merged(&[1, 1, 1000], 16), 2);
    // One generation has nothing to merge.
    assert_eq!(merged(&[1000], 10), 0);
    // With size 1 nothing is ever left in a younger generation.
    for operations in [0, 1, 5] {
        assert_eq!(size(1).merged(&[1, 1, 1], 3, operations, 1.0), 2);
    }
    let merges = merges(size(10), 3, 5000, 1, 1000);
    assert!(gaps(&merges[2]).iter().all(|gap| (90..=110).contains(gap)));
}

#[test]
fn extreme_numbers_neither_panic_nor_merge_too_little() {
    let huge = usize::MAX / 4;
    for speculation in [
        Speculation::Balanced,
        Speculation::Size(NonZeroUsize::MAX),
        Speculation::Size(NonZeroUsize::MIN),
    ] {
        for sizes in [vec![1], vec![1, 1], vec![huge, 1, huge], vec![1; 15]] {
            for mean in [0.0, 1.0, f64::from(u32::MAX)] {
                for keys in [0, 1, huge] {
                    let merged = speculation.merged(&sizes, keys, 1, mean);
                    assert!(merged < sizes.len());
                }
            }
        }
    }
}

#[test]
fn sizes_that_nobody_can_have_overflow_nothing() {
    for speculation in [Speculation::Balanced, Speculation::default()] {
        let merged = speculation.merged(&[usize::MAX, usize::MAX, 1], 1, usize::MAX, 1.0);
        assert_eq!(merged, 2);
    }
}
