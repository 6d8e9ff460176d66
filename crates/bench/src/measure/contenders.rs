//! Finds the Rust types of a scheme by its name, and runs generic code for these types.

use pad_core::{HeadSigner, Sha256Ed25519, Suite};
use pad_log::{AadCounted, AadFrontier};
use pad_tree::{RedBlackPathCopying, SkipListPathCopying, TreapPathCopying, for_each_tree};
use pad_tuple::{TupleRepository, for_each_accumulated_tuple, for_each_tuple};

use crate::{
    Outcome,
    cryptography::TimedSigner,
    dictionary::{HostedDictionary, MeasuredRepository},
    measure::roles::{LogRoles, NumberedRoles, Roles, SignedEntries, SignedScope, StoredRoles},
};

/// Code that is generic over the types of a scheme, run by [`visit`].
pub trait Visitor {
    /// Result of [`Visitor::visit`].
    type Output;

    /// Runs the code for the scheme `T`. `start(n)` creates author and server of an empty
    /// dictionary for at most `n` entries.
    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) -> Self::Output;
}

/// Returns the author's signer, with the fixed key of all measurements.
fn signer() -> HeadSigner {
    HeadSigner::new(TimedSigner::default())
}

/// Runs `visitor` for the scheme named `scheme` in [`schemes()`](comparison::schemes()). Returns
/// `None` if there is no such scheme.
///
/// Times only signatures that the calling thread makes. Timing adds some 50 ns to each.
pub fn visit<V: Visitor>(scheme: &str, visitor: V) -> Option<V::Output> {
    visit_in::<Sha256Ed25519, V>(scheme, visitor)
}

/// Like [`visit`], but builds the scheme with the suite `S` (hash, digest width and signature).
/// Logs have their own suite.
pub fn visit_in<S: Suite, V: Visitor>(scheme: &str, visitor: V) -> Option<V::Output> {
    macro_rules! visit_tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            if scheme == dashed(stringify!($name)) {
                return Some(hosted::<$($repository)+<S>, V>(visitor));
            }
        };
    }
    macro_rules! visit_tuple {
        ($name:ident, $($design:tt)+) => {
            if scheme == design_name(stringify!($name)) {
                return Some(hosted::<TupleRepository<S, $($design)+>, V>(visitor));
            }
        };
    }
    // Stores always use their own suite.
    let kept = scheme.strip_suffix("-stored").unwrap_or_default();
    macro_rules! visit_stored {
        ($name:expr, $repository:ty) => {
            if kept == $name {
                let start = |_| StoredRoles::new::<$repository>(kept.parse()?, signer());
                return Some(visitor.visit(start));
            }
        };
    }
    macro_rules! visit_stored_tuple {
        ($name:ident, $($design:tt)+) => {
            visit_stored!(
                design_name(stringify!($name)),
                TupleRepository<Sha256Ed25519, $($design)+>
            );
        };
    }
    visit_stored!("red-black", RedBlackPathCopying<Sha256Ed25519>);
    visit_stored!("treap", TreapPathCopying<Sha256Ed25519>);
    visit_stored!("skip-list", SkipListPathCopying<Sha256Ed25519>);
    for_each_tuple!(visit_stored_tuple);
    if kept.starts_with("aad-") {
        let start = |most| StoredRoles::log(kept.parse()?, most, signer());
        return Some(visitor.visit(start));
    }
    for_each_tree!(visit_tree);
    for_each_tuple!(visit_tuple);
    for_each_accumulated_tuple!(visit_tuple);
    Some(match scheme {
        "aad-counted" => visitor.visit(|most| LogRoles::<AadCounted>::new(most, signer())),
        "aad-frontier" => visitor.visit(|most| LogRoles::<AadFrontier>::new(most, signer())),
        "directory" => visitor.visit(|_| NumberedRoles::<S>::new(signer())),
        "sign-each-entry" => visitor.visit(|_| Ok(SignedEntries::new(SignedScope::Each, signer()))),
        "sign-changed-entries" => {
            visitor.visit(|_| Ok(SignedEntries::new(SignedScope::Changed, signer())))
        }
        _ => return None,
    })
}

fn hosted<R: MeasuredRepository, V: Visitor>(visitor: V) -> V::Output {
    visitor.visit(|_| Ok(HostedDictionary::<R>::new(signer())))
}

/// Returns the name of a tree in [`schemes()`](comparison::schemes()), from its name in Rust.
pub fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// Returns the name of a tuple design in `pad keygen`, from its name in Rust.
pub fn design_name(name: &str) -> String {
    match name {
        "spec_lightweight_3" => "tuple-spec3-lightweight".to_owned(),
        name => format!("tuple-{}", dashed(name)),
    }
}
