//! Directories that only grow. They store only the last block of each level in memory, because no
//! other block changes.

use block_directory::internals::strategy::Place;

use super::contender::Contender;
use crate::Outcome;

/// Changes that insertions into a growing directory made.
pub(super) struct Changes<C: Contender> {
    /// Changed slots in the order of the changes: the block's place, the slot's position in the
    /// level, and the new content.
    pub(super) slots: Vec<(Place, u64, C::Content)>,
    /// Blocks that became full, each with its place.
    pub(super) closed: Vec<(Place, C::Block)>,
}

impl<C: Contender> Default for Changes<C> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            closed: Vec::new(),
        }
    }
}

/// Directory that accepts new entries only at the end.
pub(super) trait GrowingDirectory: Sized {
    /// Method that summarizes the blocks.
    type Contender: Contender;

    /// Creates an empty directory, with blocks of `capacity` slots.
    fn new(capacity: u64) -> Self;

    /// Inserts `objects` as the next entries, and adds the changed slots and full blocks to
    /// `changes`.
    fn insert(
        &mut self,
        objects: &[<Self::Contender as Contender>::Object],
        changes: &mut Changes<Self::Contender>,
    ) -> Outcome<()>;

    /// Returns the root over all entries so far.
    fn root(&self) -> Vec<u8>;

    /// Returns the blocks whose state has not been reported yet, each with its place: the last
    /// block of each level.
    fn into_open(self) -> Vec<(Place, <Self::Contender as Contender>::Block)> {
        Vec::new()
    }
}

/// Directory in which every insertion updates all summaries up to the root, as in the paper.
pub(super) struct RightEdge<C: Contender> {
    capacity: u64,
    entries: u64,
    /// Last block of each level with its place, from level 0 (the entries) up.
    levels: Vec<(Place, C::Block)>,
    top: Option<C::Content>,
}

impl<C: Contender> RightEdge<C> {
    fn insert_one(&mut self, object: &C::Object, changes: &mut Changes<C>) -> Outcome<()> {
        let mut position = self.entries;
        let mut content = C::entry(position, object);
        self.entries += 1;
        for level in 0.. {
            // The slot is in the last block of the level or in the next one, so no division is
            // needed.
            let last = self.levels.get(usize::from(level));
            let block = last.map_or(0, |(last, _)| {
                last.block + u64::from(position >= (last.block + 1) * self.capacity)
            });
            let place = Place { level, block };
            self.make_room(place, changes)?;
            self.write(place, (position, &content), changes)?;
            let (place, block) = &mut self.levels[usize::from(level)];
            content = C::summary(block);
            position = place.block;
            if usize::from(level) + 1 == self.levels.len() {
                break;
            }
        }
        self.top = Some(content);
        Ok(())
    }

    /// Begins the block at `place`, unless it is already the last block of its level. Closes the
    /// level's previous last block. If the closed block was the only one, also begins the level
    /// above with its summary.
    fn make_room(&mut self, place: Place, changes: &mut Changes<C>) -> Outcome<()> {
        let level = usize::from(place.level);
        if self.levels.len() == level {
            self.levels.push((place, C::open(place, self.capacity)?));
        }
        if self.levels[level].0 == place {
            return Ok(());
        }
        let block = (place, C::open(place, self.capacity)?);
        let mut closed = std::mem::replace(&mut self.levels[level], block);
        if self.levels.len() == level + 1 {
            let first = C::summary(&mut closed.1);
            let above = Place {
                level: place.level + 1,
                block: 0,
            };
            self.levels.push((above, C::open(above, self.capacity)?));
            self.write(above, (0, &first), changes)?;
        }
        changes.closed.push(closed);
        Ok(())
    }

    fn write(
        &mut self,
        place: Place,
        (position, content): (u64, &C::Content),
        changes: &mut Changes<C>,
    ) -> Outcome<()> {
        let (_, block) = &mut self.levels[usize::from(place.level)];
        C::write(block, position, content)?;
        changes.slots.push((place, position, content.clone()));
        Ok(())
    }
}

impl<C: Contender> GrowingDirectory for RightEdge<C> {
    type Contender = C;

    fn new(capacity: u64) -> Self {
        Self {
            capacity,
            entries: 0,
            levels: Vec::new(),
            top: None,
        }
    }

    fn insert(&mut self, objects: &[C::Object], changes: &mut Changes<C>) -> Outcome<()> {
        for object in objects {
            self.insert_one(object, changes)?;
        }
        Ok(())
    }

    fn root(&self) -> Vec<u8> {
        let top = self.top.as_ref();
        top.map_or_else(Vec::new, |top| C::root(self.entries, self.capacity, top))
    }

    fn into_open(self) -> Vec<(Place, C::Block)> {
        self.levels
    }
}
