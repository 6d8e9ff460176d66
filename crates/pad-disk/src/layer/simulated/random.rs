//! Seeded random choices.

/// A generator of pseudorandom numbers: `SplitMix64` (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", 2014).
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which must not be 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }
}

/// Share of the unsynchronised changes that survives an accident.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    Nothing,
    Everything,
    /// The first changes in order, up to this number.
    First(usize),
    /// Each change with a probability of 1/2, as a whole.
    Some,
    /// Each change with a probability of 1/2, and each of its sectors with a probability of this
    /// number of eighths.
    Sectors(usize),
}

impl Fate {
    /// Chooses a fate for a number of changes. `Nothing` and `Everything` have a probability of 1/6
    /// each.
    pub(super) fn of(changes: usize, random: &mut Random) -> Self {
        match random.below(6) {
            0 => Self::Nothing,
            1 => Self::Everything,
            2 => Self::First(random.below(changes + 1)),
            3 => Self::Some,
            _ => Self::Sectors(1 + random.below(7)),
        }
    }

    /// Number of changes that reach the medium, for changes that do so in order.
    pub(super) fn first_of(self, changes: usize, random: &mut Random) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Everything => changes,
            _ => random.below(changes + 1),
        }
    }

    /// Returns whether change `number` reaches the medium, for changes that do so as a whole.
    pub(super) fn keeps(self, number: usize, random: &mut Random) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::First(most) => number < most,
            Self::Some | Self::Sectors(_) => random.below(2) == 0,
        }
    }

    /// Returns whether a sector of a surviving change reaches the medium.
    pub(super) fn keeps_sector(self, random: &mut Random) -> bool {
        match self {
            Self::Sectors(of_eight) => random.below(8) < of_eight,
            _ => true,
        }
    }
}
