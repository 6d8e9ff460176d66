//! Chance that comes from a seed.

/// Numbers by `SplitMix64` (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
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

    /// A number below this one, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }
}

/// How much of what was not synchronised an accident leaves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    Nothing,
    Everything,
    /// The first changes, so many.
    First(usize),
    /// Each change by itself, whole.
    Some,
    /// Each sector of each change by itself, so many of eight.
    Sectors(usize),
}

impl Fate {
    /// Of so many changes. The extremes are as likely as everything between them.
    pub(super) fn of(changes: usize, random: &mut Random) -> Self {
        match random.below(6) {
            0 => Self::Nothing,
            1 => Self::Everything,
            2 => Self::First(random.below(changes + 1)),
            3 => Self::Some,
            _ => Self::Sectors(1 + random.below(7)),
        }
    }

    /// How many of so many changes reach the medium, if they do so in order.
    pub(super) fn first_of(self, changes: usize, random: &mut Random) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Everything => changes,
            _ => random.below(changes + 1),
        }
    }

    /// Whether the change of this number reaches the medium, if it is one that does so whole.
    pub(super) fn keeps(self, number: usize, random: &mut Random) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::First(most) => number < most,
            Self::Some | Self::Sectors(_) => random.below(2) == 0,
        }
    }

    /// Whether a sector does, of a change that does.
    pub(super) fn keeps_sector(self, random: &mut Random) -> bool {
        match self {
            Self::Sectors(of_eight) => random.below(8) < of_eight,
            _ => true,
        }
    }
}
