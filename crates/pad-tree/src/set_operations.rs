//! Union, intersection and difference of dictionaries under a set-unique scheme.
//!
//! Under such a scheme, equal sets of keys have trees of equal shape. Trees of overlapping contents
//! therefore share subtrees, and a comparison skips subtrees with equal digests. So combining two
//! dictionaries of `n` entries with `m` differences takes `O(m log n)` expected time. The result is
//! the list of operations for the author's next snapshot.
//!
//! Source: Crosby & Wallach 2010, sections 2.1.1 and 3.1.1.

use pad_core::{Key, LookupError, Operation, Suite, Version};

use crate::{
    annotation::Authenticated,
    balancing::SetUnique,
    diff::{Frontline, Step, next_step},
    id::{EntryId, NodeId, NodeKind},
    repository::TreeRepository,
    store::VersionedStore,
    view::View,
};

type ComparisonStep<'a, 'b, St, Other> = Step<View<'a, St>, View<'b, Other>>;

/// One version of a repository, for set operations with another version of this or another
/// dictionary.
///
/// ```
/// use ed25519_dalek::SigningKey;
/// use pad_core::{AuthorKey, Dictionary, DictionaryId, Key, Repository, Sha256Ed25519, Value};
/// use pad_tree::{Conflict, TreapAuthor, TreapPathCopying};
///
/// let publish = |name: &str, keys: &[&str]| {
///     let signer = SigningKey::from_bytes(&[7; 32]);
///     let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes()).unwrap();
///     let id = DictionaryId::from_name(name);
///     let mut author = TreapAuthor::<Sha256Ed25519, _>::new(id, public, signer);
///     let mut server = TreapPathCopying::<Sha256Ed25519>::new(author.authority());
///     for key in keys {
///         author.put(Key::try_from(*key).unwrap(), Value::try_from(name).unwrap());
///     }
///     server.apply(&author.snapshot().unwrap()).unwrap();
///     (author, server)
/// };
/// let (mut author, ours) = publish("ours", &["apple", "pear"]);
/// let (_, theirs) = publish("theirs", &["pear", "plum"]);
/// let ours = ours.snapshot(ours.latest())?;
/// let theirs = theirs.snapshot(theirs.latest())?;
///
/// author.snapshot_of(ours.union(&theirs, Conflict::KeepOurs))?;
/// assert_eq!(author.get(b"pear"), Some(&b"ours"[..]));
/// assert_eq!(author.get(b"plum"), Some(&b"theirs"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SetVersion<'a, St>(View<'a, St>);

/// The rule for the value in a union of a key that both snapshots contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Keep the value of the snapshot on which [`SetVersion::union`] is called, and on which the
    /// result is published.
    KeepOurs,
    /// Take the value of the other snapshot, `theirs`.
    TakeTheirs,
}

impl<S, St> TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    St::Scheme: SetUnique,
{
    /// Returns a version for set operations such as [`SetVersion::union`].
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned.
    pub fn snapshot(&self, version: Version) -> Result<SetVersion<'_, St>, LookupError> {
        self.view(version).map(SetVersion)
    }
}

impl<'a, S: Suite, St: VersionedStore<Annotation = Authenticated<S>>> SetVersion<'a, St> {
    /// Returns the operations that turn this snapshot into the union of both.
    ///
    /// Time: expected `O(m log n)` for `m` differing entries.
    pub fn union<Other>(&self, theirs: &SetVersion<'_, Other>, conflict: Conflict) -> Vec<Operation>
    where
        Other: VersionedStore<Annotation = St::Annotation, Scheme = St::Scheme>,
    {
        self.compare(theirs, |step, operations| match step {
            Step::After(entry) => operations.push(theirs.put(entry)),
            Step::Both(ours, entry)
                if conflict == Conflict::TakeTheirs && self.value(ours) != theirs.value(entry) =>
            {
                operations.push(theirs.put(entry));
            }
            _ => {}
        })
    }

    /// Returns the operations that remove from this snapshot the keys that the other snapshot
    /// lacks. Keys in both snapshots keep the values of this one.
    ///
    /// Time: expected `O(m log n)` for `m` differing entries.
    pub fn intersection<Other>(&self, theirs: &SetVersion<'_, Other>) -> Vec<Operation>
    where
        Other: VersionedStore<Annotation = St::Annotation, Scheme = St::Scheme>,
    {
        self.compare(theirs, |step, operations| {
            if let Step::Before(entry) = step {
                operations.push(self.remove(entry));
            }
        })
    }

    /// Returns the operations that remove from this snapshot the keys that the other snapshot
    /// contains.
    ///
    /// Time: expected `O(m log n)` for `m` differing entries, and `O(1)` for each key removed.
    pub fn difference<Other>(&self, theirs: &SetVersion<'_, Other>) -> Vec<Operation>
    where
        Other: VersionedStore<Annotation = St::Annotation, Scheme = St::Scheme>,
    {
        self.compare(theirs, |step, operations| match step {
            Step::Both(entry, _) => operations.push(self.remove(entry)),
            Step::Equal(subtree) => self.remove_below(subtree, operations),
            Step::Before(_) | Step::After(_) => {}
        })
    }

    /// Returns the operations that `note` adds at each step of the comparison with `theirs`.
    fn compare<'b, Other>(
        &self,
        theirs: &SetVersion<'b, Other>,
        note: impl Fn(ComparisonStep<'a, 'b, St, Other>, &mut Vec<Operation>),
    ) -> Vec<Operation>
    where
        Other: VersionedStore<Annotation = St::Annotation>,
    {
        let compare = || {
            let (mut ours, mut theirs) = (Frontline::new(self.0)?, Frontline::new(theirs.0)?);
            let mut operations = Vec::new();
            while let Some(step) = next_step(&mut ours, &mut theirs)? {
                note(step, &mut operations);
            }
            Ok::<_, LookupError>(operations)
        };
        compare().expect("set operations: what is in memory can be read")
    }

    fn remove_below(&self, subtree: NodeId, operations: &mut Vec<Operation>) {
        let mut pending = vec![subtree];
        while let Some(node) = pending.pop() {
            match node.kind() {
                NodeKind::Leaf(entry) => operations.push(self.remove(entry)),
                NodeKind::Inner(_) => {
                    let children = self.0.children(node);
                    pending.extend([children.right(), children.left()]);
                }
            }
        }
    }

    fn key(&self, entry: EntryId) -> Key {
        self.0.entries().owned_key(entry)
    }

    fn value(&self, entry: EntryId) -> &[u8] {
        self.0.entries().value(entry)
    }

    fn put(&self, entry: EntryId) -> Operation {
        Operation::Put(self.key(entry), self.0.entries().owned_value(entry))
    }

    fn remove(&self, entry: EntryId) -> Operation {
        Operation::Remove(self.key(entry))
    }
}
