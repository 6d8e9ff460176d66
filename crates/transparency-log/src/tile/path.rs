//! Paths of a log's resources: the checkpoint, hash tiles and bundles of entries.

use core::{fmt, str::FromStr};

use super::bundle::LONGEST_BUNDLED;
use crate::{
    lines::decimal,
    note::LONGEST_NOTE,
    tree::{HASH_LENGTH, complete_at},
};

/// A resource of a log, identified by its path below the log's URL prefix.
///
/// ```
/// use transparency_log::tile::{ResourcePath, Width};
///
/// let tile = ResourcePath::Tile { level: 1, index: 1_234_067, width: Width::COMPLETE };
/// assert_eq!(tile.to_string(), "tile/1/x001/x234/067");
/// assert_eq!("tile/1/x001/x234/067".parse(), Ok(tile));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourcePath {
    /// The latest checkpoint, the only mutable resource.
    Checkpoint,
    /// Hashes of consecutive complete subtrees of 256^level entries.
    Tile {
        /// The level: 0 for entry hashes, up to [`ResourcePath::HIGHEST_LEVEL`].
        level: u8,
        /// The index of the tile within its level, from 0.
        index: u64,
        /// The number of hashes in the tile.
        width: Width,
    },
    /// A bundle of consecutive entries.
    Entries {
        /// The index of the bundle, from 0.
        index: u64,
        /// The number of entries in the bundle.
        width: Width,
    },
}

/// The number of hashes in a tile or entries in a bundle: 1 to 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Width(u16);

/// Error returned when a text is not the path of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the path of a resource of a log")]
pub struct PathError;

impl Width {
    /// The width of a complete tile or bundle: 256.
    pub const COMPLETE: Self = Self(256);

    /// Creates a width from 1 to 256; `None` for other numbers.
    pub const fn new(number: u16) -> Option<Self> {
        match number {
            1..=256 => Some(Self(number)),
            _ => None,
        }
    }

    /// Returns the width as a number.
    pub const fn number(self) -> u16 {
        self.0
    }
}

impl ResourcePath {
    /// The highest level that the specification allows.
    #[doc(hidden)]
    pub const HIGHEST_LEVEL: u8 = 63;

    /// Returns the maximum length of the resource in bytes.
    #[doc(hidden)]
    pub fn longest(&self) -> usize {
        let times = |width: &Width, bytes: usize| usize::from(width.0).saturating_mul(bytes);
        match self {
            Self::Checkpoint => LONGEST_NOTE,
            Self::Tile { width, .. } => times(width, HASH_LENGTH),
            Self::Entries { width, .. } => times(width, LONGEST_BUNDLED),
        }
    }

    /// Returns the complete tile or bundle that begins with this partial one; `None` for a complete
    /// tile or bundle, and for the checkpoint. A log may drop the partial tile or bundle once the
    /// complete one exists.
    #[doc(hidden)]
    pub fn completed(&self) -> Option<Self> {
        let mut complete = *self;
        match &mut complete {
            Self::Tile { width, .. } | Self::Entries { width, .. } => *width = Width::COMPLETE,
            Self::Checkpoint => {}
        }
        (complete != *self).then_some(complete)
    }
}

/// Lists the tiles and bundles that are new when a log grows from `old` to `new` entries.
///
/// Bundles come first, then tiles from level 0 upwards. Each level has all newly completed tiles
/// and at most one incomplete tile.
#[doc(hidden)]
pub fn grown(old: u64, new: u64) -> impl Iterator<Item = ResourcePath> {
    let bundles =
        grown_at(old, new, 0).map(|(index, width)| ResourcePath::Entries { index, width });
    let tiles = (0..=HIGHEST_USED_LEVEL).flat_map(move |level| {
        grown_at(old, new, level).map(move |(index, width)| ResourcePath::Tile {
            level,
            index,
            width,
        })
    });
    bundles.chain(tiles)
}

/// The highest tile level of a tree with fewer than 2^64 entries.
const HIGHEST_USED_LEVEL: u8 = 7;

fn grown_at(old: u64, new: u64, level: u8) -> impl Iterator<Item = (u64, Width)> {
    let (old, new) = (complete_at(old, level), complete_at(new, level));
    let (first, end) = (old >> 8, new >> 8);
    let complete = (first..end).map(|index| (index, Width::COMPLETE));
    let rest = u16::try_from(new % 256).ok().and_then(Width::new);
    let begun = rest.filter(|_| new > old).map(|width| (end, width));
    complete.chain(begun)
}

impl fmt::Display for ResourcePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, width) = match self {
            Self::Checkpoint => return formatter.write_str("checkpoint"),
            Self::Tile {
                level,
                index,
                width,
            } => {
                write!(formatter, "tile/{level}")?;
                (*index, width)
            }
            Self::Entries { index, width } => {
                formatter.write_str("tile/entries")?;
                (*index, width)
            }
        };
        write_index(formatter, index)?;
        if *width != Width::COMPLETE {
            write!(formatter, ".p/{}", width.0)?;
        }
        Ok(())
    }
}

/// Writes `index` in path elements of three digits, all but the last prefixed by `x`.
fn write_index(formatter: &mut fmt::Formatter<'_>, index: u64) -> fmt::Result {
    let mut groups = Vec::new();
    let mut rest = index / 1000;
    while rest > 0 {
        groups.push(rest % 1000);
        rest /= 1000;
    }
    for group in groups.into_iter().rev() {
        write!(formatter, "/x{group:03}")?;
    }
    write!(formatter, "/{:03}", index % 1000)
}

impl FromStr for ResourcePath {
    type Err = PathError;

    /// Parses the canonical form of a path and rejects all others.
    fn from_str(text: &str) -> Result<Self, PathError> {
        if text.len() > LONGEST_PATH {
            return Err(PathError);
        }
        let path = parse(text).ok_or(PathError)?;
        if path.to_string() == text {
            return Ok(path);
        }
        Err(PathError)
    }
}

fn parse(text: &str) -> Option<ResourcePath> {
    let Some(text) = text.strip_prefix("tile/") else {
        return (text == "checkpoint").then_some(ResourcePath::Checkpoint);
    };
    let (kind, text) = text.split_once('/')?;
    let (index, width) = match text.split_once(".p/") {
        Some((index, width)) => {
            let width = Width::new(u16::try_from(decimal(width)?).ok()?)?;
            (index, width)
        }
        None => (text, Width::COMPLETE),
    };
    let mut number = 0_u64;
    for group in index.split('/') {
        let digits = group.strip_prefix('x').unwrap_or(group);
        let fits = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let group = digits.parse::<u64>().ok().filter(|_| fits)?;
        number = number.checked_mul(1000)?.checked_add(group)?;
    }
    let index = number;
    if kind == "entries" {
        return Some(ResourcePath::Entries { index, width });
    }
    let level = u8::try_from(decimal(kind)?).ok()?;
    (level <= ResourcePath::HIGHEST_LEVEL).then_some(ResourcePath::Tile {
        level,
        index,
        width,
    })
}

/// Maximum length of a path in bytes.
const LONGEST_PATH: usize = 64;
