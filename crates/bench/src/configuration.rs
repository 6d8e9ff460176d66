//! From names on a command line to the types that they name.

use pad_core::{Blake3Ed25519, Paper2010, Sha256Ed25519, Suite};
use pad_tree::{Authenticated, TreeRepository, TreeScheme, VersionedStore, for_each_tree};

/// Work that runs for one suite and one of the twelve trees.
pub trait Job {
    /// What the work returns.
    type Output;

    /// Does the work. The scheme is `St::Scheme`.
    fn run<S: Suite, St>(self) -> Self::Output
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync;
}

/// A suite and a tree, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// For example `red-black`.
    pub scheme: String,
    /// For example `cache-everywhere`.
    pub repository: String,
    /// For example `sha256-ed25519`.
    pub suite: String,
}

impl Configuration {
    /// Runs work for the types that these names stand for. `None` if they are not names.
    pub fn run<J: Job>(&self, job: J) -> Option<J::Output> {
        match self.suite.as_str() {
            Sha256Ed25519::NAME => self.run_in::<Sha256Ed25519, J>(job),
            Blake3Ed25519::NAME => self.run_in::<Blake3Ed25519, J>(job),
            Paper2010::NAME => self.run_in::<Paper2010, J>(job),
            _ => None,
        }
    }

    fn run_in<S: Suite, J: Job>(&self, job: J) -> Option<J::Output> {
        macro_rules! run_if_named {
            ($name:ident, $scheme:ty, $($repository:tt)+) => {
                if self.names::<StoreOf<$($repository)+<S>>>() {
                    return Some(job.run::<S, StoreOf<$($repository)+<S>>>());
                }
            };
        }
        for_each_tree!(run_if_named);
        None
    }

    fn names<St: VersionedStore>(&self) -> bool {
        self.scheme == St::Scheme::NAME && self.repository == St::NAME
    }
}

/// The names of the suites.
pub const SUITES: [&str; 3] = [Sha256Ed25519::NAME, Blake3Ed25519::NAME, Paper2010::NAME];

/// The names of the twelve trees: scheme and repository.
pub fn trees() -> Vec<(&'static str, &'static str)> {
    let mut names = Vec::new();
    macro_rules! push_names {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            names.push((
                <$scheme>::NAME,
                <StoreOf<$($repository)+<Sha256Ed25519>>>::NAME,
            ));
        };
    }
    for_each_tree!(push_names);
    names
}

/// The names of the schemes.
pub fn schemes() -> Vec<&'static str> {
    distinct(trees().into_iter().map(|(scheme, _)| scheme))
}

/// The names of the repositories.
pub fn repositories() -> Vec<&'static str> {
    distinct(trees().into_iter().map(|(_, repository)| repository))
}

fn distinct(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// The store of a repository's type.
pub type StoreOf<R> = <R as HasStore>::Store;

/// A repository, seen as a type: see [`StoreOf`].
pub trait HasStore {
    /// The store.
    type Store;
}

impl<S: Suite, St: VersionedStore> HasStore for TreeRepository<S, St> {
    type Store = St;
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names;

    impl Job for Names {
        type Output = [&'static str; 3];

        fn run<S: Suite, St>(self) -> Self::Output
        where
            St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
        {
            [St::Scheme::NAME, St::NAME, S::NAME]
        }
    }

    #[test]
    fn every_name_stands_for_its_types() {
        assert_eq!(trees().len(), 12);
        assert_eq!((schemes().len(), repositories().len()), (3, 4));
        for suite in SUITES {
            for (scheme, repository) in trees() {
                let [scheme_name, repository_name, suite_name] =
                    [scheme, repository, suite].map(str::to_owned);
                let configuration = Configuration {
                    scheme: scheme_name,
                    repository: repository_name,
                    suite: suite_name,
                };
                assert_eq!(configuration.run(Names), Some([scheme, repository, suite]));
            }
        }
    }
}
