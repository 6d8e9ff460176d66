//! Names and numbers of the balancing schemes. A verifier needs to know nothing else about a
//! scheme.

use core::fmt::Debug;

use pad_core::SchemeId;

/// The name and number of a balancing scheme. Implemented by zero-sized types. Authors and servers
/// use its extension `BalancingScheme`, with the feature `std`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a balancing scheme of trees",
    label = "not a balancing scheme",
    note = "balancing schemes are `RedBlack`, `Treap` and `SkipList`"
)]
pub trait TreeScheme: Copy + Debug + Default + Send + Sync + 'static {
    /// The scheme's number in signed heads.
    const ID: SchemeId;
    /// A human-readable name, for example `red-black`.
    const NAME: &'static str;
}

/// Red-black balancing: depth at most `2 log2 n`, about `1.02 log2 n` on average. The default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedBlack;

/// A treap whose priorities are derived from the keys: expected depth about `1.39 log2 n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Treap;

/// A skip list in the form of a binary tree, whose levels are derived from the keys: expected depth
/// about `1.5 log2 n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkipList;

impl TreeScheme for RedBlack {
    const ID: SchemeId = SchemeId(2);
    const NAME: &'static str = "red-black";
}

impl TreeScheme for Treap {
    const ID: SchemeId = SchemeId(1);
    const NAME: &'static str = "treap";
}

impl TreeScheme for SkipList {
    const ID: SchemeId = SchemeId(3);
    const NAME: &'static str = "skip-list";
}
