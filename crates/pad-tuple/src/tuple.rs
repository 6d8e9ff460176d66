//! Tuples: statements about intervals of keys, which an author signs or accumulates.

use pad_core::{
    Key, Suite,
    internals::{DigestBytes, Domain},
};

/// The content of a tuple: its statement about the key at the lower end of its interval.
///
/// `V` is the form of a value: its digest in the tuple that is hashed, or the value itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Content<V> {
    /// The lower end is not a key of this generation, so an older generation decides if there is
    /// one. Only the tuple at the start of the key space can have this content.
    Nothing,
    /// The key has this value.
    Value(V),
    /// A tombstone: the key was removed, but an older generation may still contain it.
    Removed,
}

impl<V> Content<V> {
    /// Returns the same statement with another form of the value.
    pub fn map<W>(&self, convert: impl FnOnce(&V) -> W) -> Content<W> {
        match self {
            Self::Nothing => Content::Nothing,
            Self::Value(value) => Content::Value(convert(value)),
            Self::Removed => Content::Removed,
        }
    }
}

/// The number of a generation; 0 is the youngest.
pub(crate) type GenerationIndex = u8;

/// A tuple `([lower, upper), content)` of one generation, in the form in which it is hashed.
///
/// Source: Crosby & Wallach 2010, sections 2.2 and 4.1.
#[derive(Clone, Copy, Debug)]
pub struct TupleView<'a, D> {
    /// The generation of the tuple, 0 for the youngest.
    pub generation: GenerationIndex,
    /// For a tuple of the youngest generation, the epochs of all older generations, youngest first.
    /// Empty for a tuple of an older generation.
    pub epochs: &'a [u64],
    /// The lower end of the interval, which is included.
    pub lower: &'a [u8],
    /// The upper end of the interval, which is excluded; `None` at the end of the key space.
    pub upper: Option<&'a [u8]>,
    /// Statement of the tuple about the key `lower`.
    pub content: Content<D>,
}

impl<'a, D> TupleView<'a, D> {
    /// Returns the tuple with these lower and upper ends. `epochs` are those of the older
    /// generations, which only a tuple of the youngest generation names.
    pub(crate) fn new(
        generation: usize,
        epochs: &'a [u64],
        (lower, upper): (&'a Key, Option<&'a Key>),
        content: Content<D>,
    ) -> Self {
        Self {
            generation: generation_index(generation),
            epochs: if generation == 0 { epochs } else { &[] },
            lower: lower.as_bytes(),
            upper: upper.map(Key::as_bytes),
            content,
        }
    }
}

impl<D: DigestBytes> TupleView<'_, D> {
    /// Returns the digest of the tuple, which is signed or accumulated.
    ///
    /// The digest is `H(tuple, generation (1) ‖ number of epochs (1) ‖ epochs (8 each) ‖ lower's
    /// length (4) ‖ lower ‖ 0, or 1 ‖ upper's length (4) ‖ upper ‖ 0, 1 or 2 for nothing, value,
    /// removed ‖ value digest)`. Integers are big-endian. Cost: one hash of the two keys.
    pub fn digest<S: Suite<Digest = D>>(&self) -> D {
        let mut head = [0; 2 + 8 * MAX_GENERATIONS + 4];
        let mut length = 0_usize;
        let mut put = |bytes: &[u8]| {
            let end = length.saturating_add(bytes.len());
            if let Some(room) = head.get_mut(length..end) {
                room.copy_from_slice(bytes);
                length = end;
            }
        };
        put(&[
            self.generation,
            u8::try_from(self.epochs.len()).unwrap_or(u8::MAX),
        ]);
        for epoch in self.epochs.iter().take(MAX_GENERATIONS) {
            put(&epoch.to_be_bytes());
        }
        put(&length_of(self.lower));
        let upper_length = self.upper.map_or([0; 4], length_of);
        let (upper_tag, upper_head): (&[u8], &[u8]) = match self.upper {
            Some(_) => (&[1], &upper_length),
            None => (&[0], &[]),
        };
        let (content_tag, value): (&[u8], &[u8]) = match &self.content {
            Content::Nothing => (&[0], &[]),
            Content::Value(digest) => (&[1], digest.as_ref()),
            Content::Removed => (&[2], &[]),
        };
        S::hash(
            Domain::Tuple,
            &[
                head.get(..length).unwrap_or_default(),
                self.lower,
                upper_tag,
                upper_head,
                self.upper.unwrap_or_default(),
                content_tag,
                value,
            ],
        )
    }
}

/// Maximum number of generations of a design.
pub(crate) const MAX_GENERATIONS: usize = 15;

/// Converts a generation's number to the type in which it is hashed. In every design, it is below
/// [`MAX_GENERATIONS`].
pub(crate) fn generation_index(generation: usize) -> GenerationIndex {
    GenerationIndex::try_from(generation).unwrap_or(GenerationIndex::MAX)
}

/// Encodes the length of a key or value as 32 bits, big-endian: keys are at most 4 096 bytes long,
/// values 16 MiB.
pub(crate) fn length_of(bytes: &[u8]) -> [u8; 4] {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes()
}

/// Returns the start of the key space, which is the lower end of every generation's first tuple.
pub(crate) fn start_of_keys() -> Key {
    Key::default()
}

#[cfg(test)]
mod tests;
