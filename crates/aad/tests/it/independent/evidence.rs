//! That a tree holds no other element of a key: layouts of sections 7 to 9 of the specification.

use bls12_381::Scalar;

use super::{
    Refusal,
    equations::{Chunk, Counted, Disjoint, Division, FrontierProduct, PointBytes, Prefix},
    hashing::prefix_scalar,
    trees::Pass,
};

/// The strings of one chunk.
const CHUNK: usize = 512;

impl<'a> Pass<'a, '_> {
    /// The evidence for a tree of which these elements of the key were shown.
    pub(super) fn evidence(
        &mut self,
        accumulator: &'a PointBytes,
        beginning: &[u8],
        found: &[&'a [u8]],
    ) -> Result<(), Refusal> {
        if !self.log.scheme.has_frontier {
            return self.counted(accumulator, beginning, found.len());
        }
        let frontier = self.disjoint(accumulator)?;
        if found.is_empty() {
            return self.absent(frontier, beginning);
        }
        let mut elements = found.to_vec();
        elements.sort_unstable();
        elements.dedup();
        let mut strings = Vec::new();
        leaving(
            &elements,
            self.log.scheme.key_bits,
            self.log.scheme.bits,
            &mut strings,
        );
        for chunk in strings.chunks(CHUNK) {
            let group = self.path(frontier)?;
            let (rest, quotient) = (self.reader.point()?, self.reader.point()?);
            let scalars = chunk
                .iter()
                .map(|(string, length)| prefix_scalar(string, *length));
            self.equations.push(Box::new(Chunk {
                group,
                rest,
                strings: scalars.collect::<Vec<Scalar>>(),
                quotient,
            }));
        }
        Ok(())
    }

    fn counted(
        &mut self,
        accumulator: &'a PointBytes,
        beginning: &[u8],
        found: usize,
    ) -> Result<(), Refusal> {
        let division = match found {
            0 => Division::None,
            1 => Division::Once(self.reader.point()?),
            _ => Division::Often(self.reader.point()?, self.reader.point()?),
        };
        let value = self.reader.scalar()?;
        let quotient = self.reader.point()?;
        self.equations.push(Box::new(Counted {
            accumulator,
            half: beginning.try_into().unwrap(),
            found: u32::try_from(found).unwrap(),
            division,
            value,
            quotient,
        }));
        Ok(())
    }

    /// `DISJOINT`; the frontier's accumulator.
    fn disjoint(&mut self, accumulator: &'a PointBytes) -> Result<&'a PointBytes, Refusal> {
        let frontier = self.reader.point()?;
        let coefficients = [self.reader.point()?, self.reader.point()?];
        let values = [self.reader.scalar()?, self.reader.scalar()?];
        let quotient = self.reader.point()?;
        self.equations.push(Box::new(Disjoint {
            accumulator,
            frontier,
            coefficients,
            values,
            quotient,
        }));
        Ok(frontier)
    }

    fn absent(&mut self, frontier: &'a PointBytes, beginning: &[u8]) -> Result<(), Refusal> {
        let length = usize::try_from(self.reader.number(2)?).unwrap();
        if length == 0 || length > self.log.scheme.key_bits {
            return Err("no prefix of a key half");
        }
        let group = self.path(frontier)?;
        let quotient = self.reader.point()?;
        self.equations.push(Box::new(Prefix {
            group,
            string: beginning.to_vec(),
            length,
            quotient,
        }));
        Ok(())
    }

    /// `PATH`; the accumulator of the group at its end.
    fn path(&mut self, frontier: &'a PointBytes) -> Result<&'a PointBytes, Refusal> {
        let depth = self.reader.number(1)?;
        if depth > 32 {
            return Err("too deep a path");
        }
        let mut parent = frontier;
        for _ in 0..depth {
            let count = self.reader.number(1)?;
            let index = usize::try_from(self.reader.number(1)?).unwrap();
            if !(2..=4).contains(&count) {
                return Err("not 2 to 4 children");
            }
            let children: Vec<_> = (0..count)
                .map(|_| self.reader.point())
                .collect::<Result<_, _>>()?;
            let values = (1..count)
                .map(|_| self.reader.scalar())
                .collect::<Result<_, _>>()?;
            let quotient = self.reader.point()?;
            let child = *children.get(index).ok_or("no such child")?;
            self.equations.push(Box::new(FrontierProduct {
                parent,
                children,
                values,
                quotient,
            }));
            parent = child;
        }
        Ok(parent)
    }
}

/// The strings that leave the trie of these sorted elements below their common prefix of this length, in lexicographic order.
fn leaving(elements: &[&[u8]], depth: usize, bits: usize, strings: &mut Vec<(Vec<u8>, usize)>) {
    if depth == bits {
        return;
    }
    let is_one = |element: &&[u8]| element[depth / 8] >> (7 - depth % 8) & 1 == 1;
    let middle = elements.partition_point(|element| !is_one(element));
    let (zeros, ones) = elements.split_at(middle);
    for (side, other) in [(zeros, ones), (ones, zeros)] {
        if side.is_empty() {
            let mut string = other[0].to_vec();
            string[depth / 8] ^= 0x80 >> (depth % 8);
            strings.push((string, depth + 1));
        } else {
            leaving(side, depth + 1, bits, strings);
        }
    }
}
