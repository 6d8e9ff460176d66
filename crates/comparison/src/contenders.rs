//! The schemes as types: what runs the scheme of a name.

use aad::{AadCounted, AadFrontier};
use block_directory::KeyedDirectory;
use pad_core::Sha256Ed25519;
use pad_tree::for_each_tree;
use pad_tuple::{TupleRepository, for_each_accumulated_tuple, for_each_tuple};

use crate::{
    Outcome,
    dictionary::Hosted,
    roles::{LogRoles, NumberedRoles, Roles, Signed, SignedEntries},
};

/// What is done with a scheme, once its types are known.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it. `start` makes author and server of an empty dictionary that will have at most so many entries.
    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) -> Self::Output;
}

/// Does something with the scheme of that name in [`schemes()`](crate::schemes()); `None` if there is no such scheme.
pub fn visit<V: Visitor>(scheme: &str, visitor: V) -> Option<V::Output> {
    macro_rules! visit_tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            if scheme == dashed(stringify!($name)) {
                type Server = $($repository)+<Sha256Ed25519>;
                return Some(visitor.visit(|_| Ok(Hosted::<Server>::default())));
            }
        };
    }
    macro_rules! visit_tuple {
        ($name:ident, $($design:tt)+) => {
            if scheme == design_name(stringify!($name)) {
                type Server = TupleRepository<Sha256Ed25519, $($design)+>;
                return Some(visitor.visit(|_| Ok(Hosted::<Server>::default())));
            }
        };
    }
    for_each_tree!(visit_tree);
    for_each_tuple!(visit_tuple);
    for_each_accumulated_tuple!(visit_tuple);
    Some(match scheme {
        "aad-counted" => visitor.visit(LogRoles::<AadCounted>::new),
        "aad-frontier" => visitor.visit(LogRoles::<AadFrontier>::new),
        "directory" => visitor.visit(|_| NumberedRoles::new()),
        "block-tree" => visitor.visit(|_| Ok(Hosted::<KeyedDirectory<Sha256Ed25519>>::default())),
        "sign-each-entry" => visitor.visit(|_| Ok(SignedEntries::new(Signed::Each))),
        "sign-changed-entries" => visitor.visit(|_| Ok(SignedEntries::new(Signed::Changed))),
        _ => return None,
    })
}

fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// A design as `pad keygen` calls it.
fn design_name(name: &str) -> String {
    match name {
        "spec_lightweight_3" => "tuple-spec3-lightweight".to_owned(),
        name => format!("tuple-{}", dashed(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes;

    struct Exists;

    impl Visitor for Exists {
        type Output = ();

        fn visit<T: Roles>(self, _: impl Fn(u64) -> Outcome<T>) {}
    }

    #[test]
    fn every_scheme_can_be_run() {
        for scheme in schemes() {
            assert_eq!(visit(scheme.name, Exists), Some(()), "{}", scheme.name);
        }
        assert_eq!(visit("splay", Exists), None);
    }
}
