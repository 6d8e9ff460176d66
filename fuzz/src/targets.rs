//! All dictionaries under attack.

use pad_tree::{RedBlack, SkipList, Treap};
use pad_tuple::designs::{BaseSuperseding, SpecLightweight};

use crate::{target::Target, together, trees, tuples};

thread_local! {
    /// The three tree schemes. Then two tuple designs with different refreshes (superseding and
    /// lightweight): first with proofs of one key, then with proofs of many keys and of ranges.
    pub static TARGETS: [Target; 7] = [
        trees::target::<Treap>(),
        trees::target::<RedBlack>(),
        trees::target::<SkipList>(),
        tuples::target::<BaseSuperseding>(),
        tuples::target::<SpecLightweight>(),
        together::target::<BaseSuperseding>(),
        together::target::<SpecLightweight>(),
    ];
}

/// Calls `attack` with the target that a byte of the input selects.
pub(crate) fn with_target(scheme: u8, attack: impl FnOnce(&Target)) {
    TARGETS.with(|targets| attack(&targets[usize::from(scheme) % targets.len()]));
}
