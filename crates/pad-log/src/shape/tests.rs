use pad_conformance::soak;

use super::*;

const SCHEDULES: [Schedule; 2] = [Schedule::Eager, Schedule::Deferred];

/// Collects the roots of the forest of `size` elements below `node` by the definition: the largest
/// available nodes.
fn cover(shape: Shape, node: Address, size: u64, roots: &mut Vec<Address>) {
    if node.start() >= size {
        return;
    }
    if shape.is_available(node, size) {
        roots.push(node);
        return;
    }
    let (left, right) = node.children().unwrap();
    cover(shape, left, size, roots);
    cover(shape, right, size, roots);
}

fn shapes() -> impl Iterator<Item = Shape> {
    SCHEDULES
        .into_iter()
        .flat_map(|schedule| [4, 5, 7, 13, 32].map(|top| Shape::new(top, schedule).unwrap()))
}

#[test]
fn forests_are_partitions_by_the_definition() {
    for shape in shapes() {
        for size in (0..=4096).step_by(soak::size(7, 1)) {
            let forest: Vec<Address> = shape.forest(size).collect();
            let mut expected = Vec::new();
            let trees = size.div_ceil(1 << shape.top_level());
            for index in 0..trees {
                let level = shape.top_level();
                cover(shape, Address { level, index }, size, &mut expected);
            }
            assert_eq!(forest, expected, "{shape:?} {size}");
            let mut position = 0;
            for (root, next) in forest.iter().zip(forest.iter().skip(1)) {
                assert!(root.level >= next.level, "levels do not increase");
            }
            for root in &forest {
                assert_eq!(root.start(), position);
                position = root.end();
                assert!(shape.is_root(*root, size));
                for inside in [root.start(), root.end() - 1] {
                    assert_eq!(shape.root_holding(inside, size), *root);
                }
                assert!(!shape.is_root(Address::holding(root.level + 1, root.start()), size));
            }
            assert_eq!(position, size);
            for level in 0..shape.top_level() {
                let count = forest.iter().filter(|root| root.level == level).count();
                let most = match shape.schedule() {
                    Schedule::Eager => 1,
                    Schedule::Deferred => 3,
                };
                assert!(count <= most, "{shape:?} {size} level {level}");
            }
        }
    }
}

#[test]
fn older_roots_lie_below_newer_ones() {
    for shape in shapes() {
        for new in (0..=300).step_by(soak::size(7, 1)) {
            for old in 0..=new {
                for root in shape.forest(old) {
                    let newer = shape.root_holding(root.start(), new);
                    assert!(newer.level >= root.level && newer.end() >= root.end());
                }
            }
        }
    }
}

#[test]
fn eager_forests_are_the_binary_number() {
    let shape = Shape::new(20, Schedule::Eager).unwrap();
    for size in 0..=4096_u64 {
        let levels: Vec<u8> = shape.forest(size).map(|root| root.level).collect();
        let bits: Vec<u8> = (0..=20).rev().filter(|bit| size >> bit & 1 == 1).collect();
        assert_eq!(levels, bits);
    }
}

#[test]
fn sizes_are_bounded_before_shapes_are_derived() {
    let shape = Shape::new(4, Schedule::Deferred).unwrap();
    assert!(shape.is_plausible(16 * 10 + 15, 320));
    assert!(!shape.is_plausible(16 * 10 + 15, 319));
    let largest = Shape::new(32, Schedule::Deferred).unwrap();
    assert!(largest.is_plausible(Shape::SIZE_LIMIT - 1, 1 << 26));
    for size in [Shape::SIZE_LIMIT, u64::MAX] {
        assert!(!largest.is_plausible(size, usize::MAX));
        // Nothing overflows.
        let root = largest.root_holding(size - 1, size);
        assert!(root.end() >= size);
        assert!(largest.forest(size).take(3).count() == 3);
    }
}

#[test]
fn shapes_and_schedules_out_of_range_are_refused() {
    for top in [0, 3, 33, 255] {
        assert_eq!(Shape::new(top, Schedule::Eager), None);
    }
    for schedule in SCHEDULES {
        assert_eq!(Schedule::from_number(schedule.number()), Some(schedule));
    }
    assert_eq!(Schedule::from_number(2), None);
}
