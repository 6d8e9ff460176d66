//! Directory under a multiplicative strategy, with one division per block and batch. The products
//! of added and of removed elements are computed separately.

use block_directory::internals::strategy::{Combination, Combined, Place, block_root};
use pad_core::Digest;

use super::{
    digests::{Digests, MeasuredDigest, S, entry_content},
    right_edge::{Changes, GrowingDirectory},
};
use crate::Outcome;

/// Growing directory like [`super::right_edge::RightEdge`], but with summaries that are only up to
/// date at the end of a batch. Each changed summary is computed once per batch.
pub(super) struct PostponedDirectory<C: Combination> {
    capacity: u64,
    entries: u64,
    levels: Vec<LastBlock<C>>,
    top: Vec<u8>,
}

/// The last block of a level.
struct LastBlock<C: Combination> {
    number: u64,
    state: C::Value,
    summary: Vec<u8>,
}

/// Change of a slot: its position in the level, its old content if it had one, and its new content.
type SlotOf = (u64, Option<Vec<u8>>, Vec<u8>);

impl<C: Combination> PostponedDirectory<C> {
    /// Changes `slots` of one level, in ascending order. Returns the resulting changes of the level
    /// above, whose slots contain the summaries.
    fn change(&mut self, level: u8, slots: &[SlotOf]) -> Outcome<Vec<SlotOf>> {
        let mut above = Vec::new();
        let capacity = self.capacity;
        let block = |(position, ..): &SlotOf| position / capacity;
        for slots in slots.chunk_by(|one, other| block(one) == block(other)) {
            let number = block(&slots[0]);
            let last = self.levels.get(usize::from(level));
            let known = last.filter(|last| last.number == number);
            let mut state = known.map_or_else(C::neutral, |last| last.state.clone());
            let old = known.map(|last| last.summary.clone());
            multiply::<C>(&mut state, level, slots)?;
            let summary = C::summary::<S>(&state);
            above.push((number, old, summary.clone()));
            let last = LastBlock {
                number,
                state,
                summary,
            };
            match self.levels.get_mut(usize::from(level)) {
                Some(place) => *place = last,
                None => self.levels.push(last),
            }
        }
        Ok(above)
    }
}

/// Updates the product of one block for its changed `slots`. Multiplies by the product of all new
/// elements, and divides once, by the product of all old ones.
fn multiply<C: Combination>(state: &mut C::Value, level: u8, slots: &[SlotOf]) -> Outcome<()> {
    let (mut entering, mut leaving) = (C::neutral(), None);
    for (position, old, new) in slots {
        let element = |content: &[u8]| {
            let element = C::element(&[&[level], &position.to_be_bytes(), content]);
            element.ok_or("no attempt hits")
        };
        C::combine(&mut entering, &element(new)?);
        if let Some(old) = old {
            C::combine(leaving.get_or_insert_with(C::neutral), &element(old)?);
        }
    }
    if let Some(leaving) = leaving {
        C::remove(state, &leaving);
    }
    C::combine(state, &entering);
    Ok(())
}

impl<C: Combination> GrowingDirectory for PostponedDirectory<C>
where
    Combined<C>: MeasuredDigest,
{
    type Contender = Digests<Combined<C>>;

    fn new(capacity: u64) -> Self {
        Self {
            capacity,
            entries: 0,
            levels: Vec::new(),
            top: Vec::new(),
        }
    }

    fn insert(
        &mut self,
        objects: &[Digest<32>],
        changes: &mut Changes<Self::Contender>,
    ) -> Outcome<()> {
        let entry = |(id, object)| (id, None, entry_content(object));
        let mut slots: Vec<SlotOf> = (self.entries..).zip(objects).map(entry).collect();
        self.entries += objects.len() as u64;
        for level in 0.. {
            let is_topmost = self.levels.len() <= usize::from(level) + 1;
            let before = self.levels.get(usize::from(level));
            let first = before.map(|last| last.summary.clone());
            let mut above = self.change(level, &slots)?;
            for (position, _, content) in slots {
                let block = position / self.capacity;
                let place = Place { level, block };
                changes.slots.push((place, position, content));
            }
            if is_topmost {
                if let [(0, _, summary)] = above.as_slice() {
                    self.top.clone_from(summary);
                    break;
                }
                // The level above is new. Its first slot belongs to the block that was the only one
                // of this level, changed or not.
                if let Some(first) = first.filter(|_| above[0].0 > 0) {
                    above.insert(0, (0, None, first));
                }
                above[0].1 = None;
            }
            slots = above;
        }
        Ok(())
    }

    fn root(&self) -> Vec<u8> {
        let root = block_root::<S, Combined<C>>(self.entries, self.capacity as u32, &self.top);
        root.as_ref().to_vec()
    }
}
