//! Figures 3 and 4: the time of single insertions, by block size.

use block_directory::{
    FullAuthor,
    internals::{
        BlockTree,
        strategy::{
            AdHash1600, Combination, Combined, Flat, LtHash, MuProduct1024, MuProduct3072, Place,
        },
    },
};

use super::{
    Bench, DirectoryArguments,
    contender::{Contender, PLACE_BYTES, slot_updates},
    digests::{Digests, MeasuredDigest, S, object},
    images::Images,
    pairwise::{PairHash, Path, Sha256Pairs, Sha384Pairs, SlotScan},
    postponed::PostponedDirectory,
    right_edge::{Changes, GrowingDirectory, RightEdge},
};
use crate::{line, prelude::*};

/// Number of insertions that are timed together. Contenders with postponed divisions divide once
/// per block and batch.
const BATCH: usize = 100;

/// Number of entries with which roots are checked before a contender is timed.
const CHECKED: u64 = 300;

/// Measures all contenders at each size of blocks.
pub(super) fn run(arguments: &DirectoryArguments, bench: &mut Bench) -> Outcome<()> {
    for &block_bytes in &arguments.block_bytes {
        let inserts = Inserts {
            entries: arguments.inserts,
            block_bytes,
            longest_us: arguments.longest as f64 * 1e6,
        };
        inserts.run(bench)?;
    }
    Ok(())
}

/// Settings of one measurement: number of entries, bytes of a block, and the longest expected time
/// of one contender.
struct Inserts {
    entries: u64,
    block_bytes: u64,
    longest_us: f64,
}

/// Root of a contender's directory; `None` if it was not measured.
type Root = Option<Vec<u8>>;

impl Inserts {
    /// Returns the number of slots in a block of `block_bytes` bytes, in the paper's layout.
    const fn capacity(&self) -> u64 {
        self.block_bytes / PLACE_BYTES as u64
    }

    fn run(&self, bench: &mut Bench) -> Outcome<()> {
        if self.capacity().is_power_of_two() {
            check_directory(self.capacity())?;
        }
        self.pairs::<Sha256Pairs>(["merkle", "merkle-scanning"], bench)?;
        self.pairs::<Sha384Pairs>(["sha-384-path", "sha-384-scanning"], bench)?;
        self.strategy::<Flat>(bench)?;
        self.strategy::<AdHash1600>(bench)?;
        self.strategy::<LtHash>(bench)?;
        self.products::<MuProduct1024>(bench)?;
        self.products::<MuProduct3072>(bench)
    }

    /// Measures a tree inside each block: first with stored nodes, then with a scan of all slots.
    fn pairs<H: PairHash>(&self, names: [&str; 2], bench: &mut Bench) -> Outcome<()> {
        let path = self.measure::<RightEdge<Path<H>>>((names[0], 1), bench)?;
        let scanned = self.measure::<RightEdge<SlotScan<H>>>((names[1], 1), bench)?;
        self.agree(&path, &scanned)
    }

    fn strategy<B: MeasuredDigest>(&self, bench: &mut Bench) -> Outcome<Root> {
        check::<B, RightEdge<_>>(self.capacity(), 1)?;
        self.measure::<RightEdge<Digests<B>>>((B::name(), 1), bench)
    }

    fn products<C: Combination>(&self, bench: &mut Bench) -> Outcome<()>
    where
        Combined<C>: MeasuredDigest,
    {
        let one_by_one = self.strategy::<Combined<C>>(bench)?;
        for batch in [7, BATCH] {
            check::<Combined<C>, PostponedDirectory<C>>(self.capacity(), batch)?;
        }
        let name = format!("{}-postponed", Combined::<C>::name());
        let postponed = self.measure::<PostponedDirectory<C>>((&name, BATCH as u64), bench)?;
        self.agree(&one_by_one, &postponed)
    }

    /// Fails if two contenders with equal digests have different roots. Accepts contenders that
    /// were not measured.
    fn agree(&self, one: &Root, other: &Root) -> Outcome<()> {
        let differ = one.is_some() && other.is_some() && one != other;
        ensure(
            !differ,
            &format!("blocks of {} bytes: roots differ", self.block_bytes),
        )
    }

    /// Returns the lower bound for an insertion in microseconds, mean over all entries.
    fn limit_us<C: Contender>(&self, batch: u64, bench: &Bench) -> f64 {
        let starts = (0..self.entries).step_by(batch as usize);
        let ids = starts.map(|start| start..self.entries.min(start + batch));
        let updates = ids.flat_map(|ids| slot_updates(&ids, self.capacity()));
        let ns = updates.map(|update| C::limit_ns(update, &bench.primitives));
        ns.sum::<f64>() / self.entries as f64 / 1e3
    }

    /// Measures one contender, which updates summaries together after `batch` insertions. Returns
    /// its root, or `None` if its lower bound exceeds the longest time.
    fn measure<G: GrowingDirectory>(
        &self,
        (name, batch): (&str, u64),
        bench: &mut Bench,
    ) -> Outcome<Root> {
        let (capacity, limit_us) = (self.capacity(), self.limit_us::<G::Contender>(batch, bench));
        let expected_us = limit_us * self.entries as f64;
        let (entries, block_bytes) = (self.entries, self.block_bytes);
        let what = format!("{name}: {entries} insertions, blocks of {block_bytes} bytes");
        if expected_us > self.longest_us {
            bench.report.left_out(&what, expected_us / 1e6);
            return Ok(None);
        }
        bench.report.announce(what);
        let objects: Vec<_> = (0..self.entries).map(G::Contender::object).collect();
        let mut grown = G::new(capacity);
        let (mut crypto, mut storing) = (Timings::default(), Timings::default());
        let mut stored = BlockImages::new::<G::Contender>(capacity, self.block_bytes)?;
        let mut changes = Changes::default();
        for objects in objects.chunks(BATCH) {
            crypto.time(objects.len(), || grown.insert(objects, &mut changes))?;
            storing.time(objects.len(), || stored.take(&mut changes))?;
        }
        let root = grown.root();
        let written = storing.time(0, || stored.finish::<G::Contender>(&grown.into_open()))?;
        let update_us = crypto.mean_us();
        let line = line! {
            experiment: "directory_inserts", entries, block_bytes, update_us,
            update_limit_us: limit_us, written_bytes_per_update: written as f64 / entries as f64,
            total_us: update_us + storing.mean_us(), update_ratio: update_us / limit_us, capacity,
            mean_levels: self.mean_levels(),
        };
        bench.measured(name, line)?;
        Ok(Some(root))
    }

    /// Returns the number of levels of the directory at an insertion, mean over all entries.
    fn mean_levels(&self) -> f64 {
        let holds = |id: u64, levels: &u32| id < self.capacity().pow(*levels);
        let levels = |id| (1..u64::BITS).find(|levels| holds(id, levels)).unwrap_or(1);
        let sum: f64 = (0..self.entries).map(|id| f64::from(levels(id))).sum();
        sum / self.entries as f64
    }
}

/// Images of blocks as they would be stored, and additional data that some contenders must store.
struct BlockImages {
    capacity: u64,
    place_bytes: usize,
    images: Images,
    side_state: Option<Images>,
}

impl BlockImages {
    fn new<C: Contender>(capacity: u64, block_bytes: u64) -> Outcome<Self> {
        // Products of 3 072 bits do not fit the paper's slots.
        let place_bytes = PLACE_BYTES.max(C::widest() + 10);
        let slots = place_bytes * capacity as usize;
        Ok(Self {
            images: Images::new(slots.max(block_bytes as usize))?,
            capacity,
            place_bytes,
            side_state: None,
        })
    }

    fn take<C: Contender>(&mut self, changes: &mut Changes<C>) -> Outcome<()> {
        for (place, position, content) in changes.slots.drain(..) {
            let slot = (position % self.capacity) as usize;
            let start = slot * self.place_bytes;
            self.images.write(place, start, content.as_ref())?;
        }
        let closed: Vec<_> = changes.closed.drain(..).collect();
        self.put_beside::<C>(&closed)
    }

    fn put_beside<C: Contender>(&mut self, blocks: &[(Place, C::Block)]) -> Outcome<()> {
        for (place, block) in blocks {
            if let Some(bytes) = C::side_state(block) {
                let side_state = match &mut self.side_state {
                    Some(side_state) => side_state,
                    none => none.insert(Images::new(bytes.len())?),
                };
                side_state.write(*place, 0, &bytes)?;
            }
        }
        Ok(())
    }

    /// Writes the additional data of the `open` blocks and all cached images. Returns the bytes
    /// written in total.
    fn finish<C: Contender>(&mut self, open: &[(Place, C::Block)]) -> Outcome<u64> {
        self.put_beside::<C>(open)?;
        let side_state = self.side_state.as_mut().map_or(Ok(0), Images::finish)?;
        Ok(self.images.finish()? + side_state)
    }
}

/// Checks a contender: its roots must equal those of the [`BlockTree`] that makes proofs.
fn check<B: MeasuredDigest, G: GrowingDirectory<Contender = Digests<B>>>(
    capacity: u64,
    batch: usize,
) -> Outcome<()> {
    let mut grown = G::new(capacity);
    let mut tree = BlockTree::<S, B>::new(u32::try_from(capacity)?)?;
    let objects: Vec<_> = (0..CHECKED).map(object).collect();
    for objects in objects.chunks(batch) {
        grown.insert(objects, &mut Changes::default())?;
        for object in objects {
            tree.append(*object)?;
        }
        if grown.root() != tree.root().as_ref() {
            return Err(format!("{}: another root than the tree's", B::NAME).into());
        }
    }
    Ok(())
}

/// Checks the contender `merkle`: its roots must equal those of a real directory.
fn check_directory(capacity: u64) -> Outcome<()> {
    let mut grown = RightEdge::<Path<Sha256Pairs>>::new(capacity);
    let mut author = FullAuthor::<S>::new("bench", signing_key())?;
    for number in 0..CHECKED {
        grown.insert(&[object(number)], &mut Changes::default())?;
        author.append(object(number))?;
        let is_same = grown.root() == author.snapshot()?.head.head.root.as_ref();
        ensure(is_same, "another root than the directory's")?;
    }
    Ok(())
}
