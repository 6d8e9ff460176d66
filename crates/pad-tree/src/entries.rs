//! The arena of keys and entries, separate from the nodes: a node never copies a key.
//!
//! Bytes of keys and values are stored in one pool. The first eight bytes of all keys are also
//! stored in a small array of their own. Most comparisons of a search read only this array.

use core::cmp::Ordering;

use pad_core::{InputError, Key, MAX_VALUE_LENGTH, Value, internals::for_each_piece};

use crate::{
    annotation::Annotation,
    id::{EntryId, KeyId, MAX_INDEX, to_u32},
    store::survivors::Survivors,
};

/// The number of low bits in a [`Span`] that contain its length. The other bits contain its offset.
const LENGTH_BITS: u32 = 25;
const _: () = assert!(MAX_VALUE_LENGTH < 1 << LENGTH_BITS);

/// The least number of fresh leaves (not hashed yet) that are hashed on several threads.
const PARALLEL_LEAVES: usize = 256;

/// The location of a key or value in the byte pool: offset and length in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span(u64);

impl Span {
    fn new(offset: usize, length: usize) -> Self {
        let [offset, length] = [offset, length]
            .map(|number| u64::try_from(number).expect("entries: a usize has at most 64 bits"));
        Self(offset << LENGTH_BITS | length)
    }

    #[inline]
    fn offset(self) -> usize {
        usize::try_from(self.0 >> LENGTH_BITS).expect("entries: offsets come from a usize")
    }

    #[inline]
    fn length(self) -> usize {
        usize::try_from(self.0 & ((1 << LENGTH_BITS) - 1)).expect("entries: lengths are short")
    }
}

/// A key to search for, with its first eight bytes as a number for fast comparisons. Probes are
/// ordered like their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Probe<'a> {
    prefix: u64,
    bytes: &'a [u8],
}

impl<'a> Probe<'a> {
    /// Creates the probe for a key with these bytes.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            prefix: prefix(bytes),
            bytes,
        }
    }

    /// The key's bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// The first eight bytes as a big-endian number, zero-padded. If two numbers differ, they are
/// ordered like the byte strings.
#[inline]
fn prefix(bytes: &[u8]) -> u64 {
    if let Some(first) = bytes.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_be_bytes(padded)
}

/// The arena that stores all keys, all values and digests of leaves.
#[derive(Clone, Debug)]
pub struct Entries<A: Annotation> {
    bytes: Vec<u8>,
    prefixes: Vec<u64>,
    key_spans: Vec<Span>,
    /// The rank of each key, which determines the shape of set-unique trees. Empty if the scheme
    /// has no ranks.
    ranks: Vec<u32>,
    keys: Vec<KeyId>,
    value_spans: Vec<Span>,
    /// Digests of all leaves if `keeps_digests`, else only of the leaves added since the last seal.
    digests: Vec<A::Digest>,
    keeps_digests: bool,
    /// Entries whose digests have not been computed yet.
    fresh: Vec<EntryId>,
    /// The number of keys, entries and pool bytes at the last seal.
    sealed: Mark,
    free_keys: Vec<KeyId>,
    free: Vec<EntryId>,
    /// The number of bytes in the pool that belong to released keys and entries.
    garbage: usize,
}

/// The sizes of the arena at the last seal, to which a rollback truncates it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    keys: usize,
    entries: usize,
    bytes: usize,
}

impl<A: Annotation> Entries<A> {
    /// Creates an empty arena. Without `keeps_digests`, digests of leaves are dropped at each seal
    /// and recomputed on demand.
    pub(crate) fn new(keeps_digests: bool) -> Self {
        Self {
            bytes: Vec::new(),
            prefixes: Vec::new(),
            key_spans: Vec::new(),
            ranks: Vec::new(),
            keys: Vec::new(),
            value_spans: Vec::new(),
            digests: Vec::new(),
            keeps_digests,
            fresh: Vec::new(),
            sealed: Mark::default(),
            free_keys: Vec::new(),
            free: Vec::new(),
            garbage: 0,
        }
    }

    /// Checks that the arena has room for `further` more entries.
    pub(crate) fn check_capacity(&self, further: usize) -> Result<(), InputError> {
        let used = self.keys.len().max(self.key_spans.len());
        if used.saturating_add(further) > MAX_INDEX {
            return Err(InputError::CapacityExceeded);
        }
        Ok(())
    }

    /// The bytes of a key.
    #[inline]
    pub fn key_bytes(&self, key: KeyId) -> &[u8] {
        self.slice(self.key_spans[key.index()])
    }

    /// The key of an entry.
    #[inline]
    pub fn key_of(&self, entry: EntryId) -> KeyId {
        self.keys[entry.index()]
    }

    /// The bytes of an entry's key.
    #[inline]
    pub fn key(&self, entry: EntryId) -> &[u8] {
        self.key_bytes(self.key_of(entry))
    }

    /// The bytes of an entry's value.
    #[inline]
    pub fn value(&self, entry: EntryId) -> &[u8] {
        self.slice(self.value_spans[entry.index()])
    }

    /// The rank of a key, which determines the shape of set-unique trees; 0 if the scheme has no
    /// ranks.
    #[inline]
    pub(crate) fn rank(&self, key: KeyId) -> u32 {
        self.ranks.get(key.index()).copied().unwrap_or(0)
    }

    /// Compares `probe` with a key of the arena.
    #[inline]
    pub fn compare(&self, probe: &Probe<'_>, key: KeyId) -> Ordering {
        self.compare_with(probe, key, self.prefix(key))
    }

    /// The first eight bytes of a key as a big-endian number, zero-padded.
    #[inline]
    pub(crate) fn prefix(&self, key: KeyId) -> u64 {
        self.prefixes[key.index()]
    }

    /// Like [`Entries::compare`], but the caller already knows the `prefix` of `key`.
    #[inline]
    pub(crate) fn compare_with(&self, probe: &Probe<'_>, key: KeyId, prefix: u64) -> Ordering {
        match probe.prefix.cmp(&prefix) {
            Ordering::Equal => self.compare_rest(probe, key),
            unequal => unequal,
        }
    }

    #[inline]
    fn compare_rest(&self, probe: &Probe<'_>, key: KeyId) -> Ordering {
        let span = self.key_spans[key.index()];
        if span.length() <= 8 && probe.bytes.len() <= 8 {
            // The keys are equal up to zero bytes at the end, and the longer key has more of them.
            return probe.bytes.len().cmp(&span.length());
        }
        probe.bytes.cmp(self.slice(span))
    }

    /// Compares the bytes of two keys of the arena.
    pub(crate) fn compare_keys(&self, left: KeyId, right: KeyId) -> Ordering {
        self.compare(
            &Probe {
                prefix: self.prefixes[left.index()],
                bytes: self.key_bytes(left),
            },
            right,
        )
    }

    /// Adds a key. `rank` is `None` if the scheme has no ranks.
    pub(crate) fn add_key(&mut self, bytes: &[u8], rank: Option<u32>) -> KeyId {
        let span = self.append(bytes);
        if let Some(key) = self.free_keys.pop() {
            self.prefixes[key.index()] = prefix(bytes);
            self.key_spans[key.index()] = span;
            if let Some(rank) = rank {
                self.ranks[key.index()] = rank;
            }
            return key;
        }
        self.prefixes.push(prefix(bytes));
        self.key_spans.push(span);
        self.ranks.extend(rank);
        KeyId(to_u32(self.key_spans.len() - 1))
    }

    /// Adds an entry with this key and value. The next [`Entries::hash_fresh`] computes the digest
    /// of its leaf.
    pub(crate) fn add_entry(&mut self, key: KeyId, value: &[u8]) -> EntryId {
        let span = self.append(value);
        let entry = if let Some(entry) = self.free.pop() {
            self.keys[entry.index()] = key;
            self.value_spans[entry.index()] = span;
            entry
        } else {
            self.keys.push(key);
            self.value_spans.push(span);
            EntryId(to_u32(self.keys.len() - 1))
        };
        if A::HASHES {
            self.fresh.push(entry);
        }
        entry
    }

    /// Adds an entry with this key and value, whose leaf has the known digest `digest`.
    pub(crate) fn add_hashed(&mut self, key: KeyId, value: &[u8], digest: A::Digest) -> EntryId {
        let entry = self.add_entry(key, value);
        if A::HASHES {
            self.fresh.pop();
            let index = entry.index() - self.digest_base();
            if index >= self.digests.len() {
                self.digests.resize(index + 1, A::Digest::default());
            }
            self.digests[index] = digest;
        }
        entry
    }

    /// Replaces the value of an entry to which no sealed version refers.
    pub(crate) fn overwrite(&mut self, entry: EntryId, value: &[u8]) {
        let span = self.value_spans[entry.index()];
        if span.length() == value.len() {
            self.bytes[span.offset()..][..value.len()].copy_from_slice(value);
        } else {
            self.garbage += span.length();
            self.value_spans[entry.index()] = self.append(value);
        }
        if A::HASHES {
            self.fresh.push(entry);
        }
    }

    /// Frees an entry that no version refers to, for reuse.
    pub(crate) fn release_entry(&mut self, entry: EntryId) {
        self.garbage += self.value_spans[entry.index()].length();
        self.value_spans[entry.index()] = Span::default();
        self.free.push(entry);
    }

    /// Frees a key that no version refers to, for reuse.
    pub(crate) fn release_key(&mut self, key: KeyId) {
        self.garbage += self.key_spans[key.index()].length();
        self.key_spans[key.index()] = Span::default();
        self.free_keys.push(key);
    }

    /// Removes the garbage from the byte pool if it is at least half of the pool and at least 4096
    /// bytes.
    pub(crate) fn compact(&mut self) {
        if self.garbage < 4096 || self.garbage * 2 < self.bytes.len() {
            return;
        }
        self.move_bytes_together();
    }

    fn move_bytes_together(&mut self) {
        let mut live = Vec::new();
        for span in self.key_spans.iter_mut().chain(&mut self.value_spans) {
            let offset = live.len();
            live.extend_from_slice(&self.bytes[span.offset()..span.offset() + span.length()]);
            *span = Span::new(offset, span.length());
        }
        self.bytes = live;
        self.garbage = 0;
    }

    /// Computes the digests of the leaves added or overwritten since the last call. `parallel`
    /// allows several threads.
    pub(crate) fn hash_fresh(&mut self, parallel: bool) {
        if !A::HASHES {
            return;
        }
        let base = self.digest_base();
        if self.keys.len() - base > self.digests.len() {
            self.digests
                .resize(self.keys.len() - base, A::Digest::default());
        }
        let fresh = core::mem::take(&mut self.fresh);
        if parallel && fresh.len() >= PARALLEL_LEAVES {
            let mut digests = vec![A::Digest::default(); fresh.len()];
            for_each_piece(&mut digests, PARALLEL_LEAVES / 4, &|first, digests| {
                for (digest, entry) in digests.iter_mut().zip(&fresh[first..]) {
                    *digest = self.compute(*entry);
                }
            });
            for (entry, digest) in fresh.iter().zip(digests) {
                self.digests[entry.index() - base] = digest;
            }
        } else {
            for entry in &fresh {
                self.digests[entry.index() - base] = self.compute(*entry);
            }
        }
        self.fresh = fresh;
        self.fresh.clear();
    }

    /// The digest of the leaf of an entry: the stored one, or a recomputed one.
    #[inline]
    pub(crate) fn digest(&self, entry: EntryId) -> A::Digest {
        match entry.index().checked_sub(self.digest_base()) {
            Some(index) => self.digests[index],
            None => self.compute(entry),
        }
    }

    /// Marks the current contents as sealed, so that [`Entries::rollback`] does not drop them.
    pub(crate) fn commit(&mut self) {
        self.sealed = Mark {
            keys: self.key_spans.len(),
            entries: self.keys.len(),
            bytes: self.bytes.len(),
        };
        if !self.keeps_digests {
            self.digests.clear();
        }
    }

    /// Drops all additions since the last seal.
    pub(crate) fn rollback(&mut self) {
        let Mark {
            keys,
            entries,
            bytes,
        } = self.sealed;
        self.bytes.truncate(bytes);
        self.prefixes.truncate(keys);
        self.key_spans.truncate(keys);
        self.ranks.truncate(keys);
        self.keys.truncate(entries);
        self.value_spans.truncate(entries);
        self.digests
            .truncate(if self.keeps_digests { entries } else { 0 });
        self.fresh.clear();
    }

    /// Drops the keys and entries that are not in `survivors`, and renumbers the rest without gaps.
    pub(crate) fn retain(&mut self, survivors: &Survivors) {
        survivors.keys.compact(&mut self.prefixes);
        survivors.keys.compact(&mut self.key_spans);
        survivors.keys.compact(&mut self.ranks);
        survivors.entries.compact(&mut self.keys);
        survivors.entries.compact(&mut self.value_spans);
        if self.keeps_digests {
            survivors.entries.compact(&mut self.digests);
        }
        for key in &mut self.keys {
            *key = survivors.key(*key);
        }
        self.move_bytes_together();
        self.commit();
    }

    /// The number of entries, without released ones.
    pub(crate) fn len(&self) -> usize {
        self.keys.len() - self.free.len()
    }

    /// The numbers of entry slots and key slots, including released ones.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        (self.keys.len(), self.key_spans.len())
    }

    /// The memory, in bytes, of the arena's contents, without spare capacity.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes.len()
            + self.prefixes.len() * 8
            + self.key_spans.len() * 8
            + self.ranks.len() * 4
            + self.keys.len() * 4
            + self.value_spans.len() * 8
            + self.digests.len() * size_of::<A::Digest>()
    }

    /// Copies the bytes of an entry's key as a [`Key`]. Their length was checked when the key was
    /// added.
    pub(crate) fn owned_key(&self, entry: EntryId) -> Key {
        Key::new(self.key(entry)).expect("entries: keys were checked when they were added")
    }

    /// Copies the bytes of an entry's value as a [`Value`]. Their length was checked when the value
    /// was added.
    pub(crate) fn owned_value(&self, entry: EntryId) -> Value {
        Value::new(self.value(entry)).expect("entries: values were checked when they were added")
    }

    /// The index of the first entry whose leaf digest is stored in `digests`.
    #[inline]
    fn digest_base(&self) -> usize {
        if self.keeps_digests {
            0
        } else {
            self.sealed.entries
        }
    }

    fn compute(&self, entry: EntryId) -> A::Digest {
        A::leaf(self.key(entry), self.value(entry))
    }

    fn append(&mut self, bytes: &[u8]) -> Span {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Span::new(offset, bytes.len())
    }

    #[inline]
    fn slice(&self, span: Span) -> &[u8] {
        &self.bytes[span.offset()..span.offset() + span.length()]
    }
}
