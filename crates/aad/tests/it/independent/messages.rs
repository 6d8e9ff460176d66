//! The three messages: layout and checks, sections 9 and 10 of the specification.

use std::collections::BTreeMap;

use super::{
    Log, Refusal,
    hashing::{Hash, bag, key_half, member, root_digest, sealed, value_half},
    reader::{Field, Kind},
    shape::{Node, end, start},
    trees::Pass,
};
use crate::known_answers::Statement;

/// A verdict, and the fields that were read until then.
pub(crate) struct Verdict {
    pub(crate) outcome: Result<Statement, Refusal>,
    pub(super) fields: Vec<Field>,
}

/// What is asked, at which digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Lookup {
        root: Hash,
        key: Vec<u8>,
    },
    Inclusion {
        root: Hash,
        key: Vec<u8>,
        value: Vec<u8>,
    },
    AppendOnly {
        old: Hash,
        new: Hash,
    },
}

impl Log {
    /// What a message establishes.
    pub(crate) fn verify(&self, question: &Question, message: &[u8]) -> Verdict {
        let mut pass = Pass::new(self, message);
        let read = match question {
            Question::Lookup { root, key } => pass.look_up(root, key),
            Question::Inclusion { root, key, value } => pass.inclusion(root, [key, value]),
            Question::AppendOnly { old, new } => pass.append_only(old, new),
        };
        let outcome = read.and_then(|statement| {
            let mut equations = pass.equations.iter();
            equations.try_for_each(|equation| equation.check(self))?;
            Ok(statement)
        });
        Verdict {
            outcome,
            fields: pass.reader.fields,
        }
    }

    /// What all elements of a key begin with.
    fn beginning(&self, key: &[u8]) -> Vec<u8> {
        match (self.scheme.is_raw, self.scheme.has_values) {
            (true, _) => key.to_vec(),
            (false, true) => key_half(key).to_vec(),
            (false, false) => member(key).to_vec(),
        }
    }
}

impl<'a> Pass<'a, '_> {
    fn envelope(&mut self, kind: u8) -> Result<(), Refusal> {
        let [high, low] = self.log.scheme.number.to_be_bytes();
        let expected = [b'P', b'A', b'D', b'1', 1, kind, high, low];
        if self.reader.take(Kind::Bytes, 8)? != expected {
            return Err("another envelope");
        }
        Ok(())
    }

    fn append_only(&mut self, old: &Hash, new: &Hash) -> Result<Statement, Refusal> {
        self.envelope(131)?;
        let (from, to) = (self.reader.number(8)?, self.reader.number(8)?);
        if from > to {
            return Err("from more to less");
        }
        let id = &self.log.id;
        let nothing = root_digest(id, 0, None);
        let (old_bag, new_bag) = if from == 0 || from == to {
            if from == 0 && *old != nothing || from == to && old != new {
                return Err("another older digest");
            }
            let bag = match to {
                0 => None,
                _ => Some(self.reader.hash()?),
            };
            (None, bag)
        } else {
            let (old, new) = self.roots_of_both(from, to)?;
            (Some(bag(&old)), Some(bag(&new)))
        };
        self.reader.finish()?;
        if old_bag.is_some_and(|bag| root_digest(id, from, Some(bag)) != *old) {
            return Err("another older digest");
        }
        if root_digest(id, to, new_bag) != *new {
            return Err("another digest");
        }
        Ok(Statement::Grown(from, to))
    }

    /// The hashes of the roots of two sizes, of which neither is 0 and the first is less.
    fn roots_of_both(&mut self, from: u64, to: u64) -> Result<(Vec<Hash>, Vec<Hash>), Refusal> {
        let shape = self.log.shape;
        if !shape.is_plausible(to, self.reader.length()) {
            return Err("a size out of range");
        }
        let expected = shape.forest(from);
        self.old_roots = expected.iter().copied().collect();
        self.old_size = from;
        let mut new = Vec::new();
        for root in shape.forest(to) {
            new.push(self.grown_root(root)?);
        }
        let (nodes, old): (Vec<Node>, Vec<Hash>) = self.met.iter().copied().unzip();
        if nodes != expected {
            return Err("not the older roots in order");
        }
        Ok((old, new))
    }

    fn inclusion(&mut self, root: &Hash, entry: [&Vec<u8>; 2]) -> Result<Statement, Refusal> {
        self.envelope(130)?;
        let (size, position) = (self.reader.number(8)?, self.reader.number(8)?);
        let occurrence = if self.log.scheme.has_values {
            self.reader.number(8)?
        } else {
            0
        };
        let shape = self.log.shape;
        if position >= size || size >= 1 << 48 {
            return Err("a size out of range");
        }
        if !shape.is_plausible(position, self.reader.length()) {
            return Err("a position out of range");
        }
        let [key, value] = entry;
        let mut expected = self.log.beginning(key);
        if self.log.scheme.has_values {
            if occurrence == 0 {
                return Err("occurrence 0");
            }
            expected.extend_from_slice(&value_half(value, occurrence));
        } else if !value.is_empty() {
            return Err("a member with a value");
        }
        let roots = shape.roots_until(position, size);
        let place = roots.iter().position(|root| end(*root) > position);
        let place = place.unwrap();
        let mut hashes = Vec::new();
        for _ in &roots[..place] {
            hashes.push(self.reader.hash()?);
        }
        let after = if end(roots[place]) < size {
            Some(self.reader.hash()?)
        } else {
            None
        };
        hashes.push(self.root_with(roots[place], position)?);
        hashes.extend(after);
        self.reader.finish()?;
        if !self.shown.contains(&(position, &expected)) {
            return Err("another element");
        }
        if root_digest(&self.log.id, size, Some(bag(&hashes))) != *root {
            return Err("another digest");
        }
        Ok(Statement::Included(position, occurrence))
    }

    /// A root with all that stands beside a position; its hash.
    fn root_with(&mut self, root: Node, position: u64) -> Result<Hash, Refusal> {
        let block_level = self.log.scheme.block_level;
        if root.0 < block_level {
            return Ok(self.elements(root)?.1);
        }
        let (accumulator, inner) = self.open(root, &[position >> block_level])?;
        Ok(sealed(root.0, accumulator, &inner))
    }

    fn look_up(&mut self, root: &Hash, key: &[u8]) -> Result<Statement, Refusal> {
        self.envelope(129)?;
        let size = self.reader.number(8)?;
        let shape = self.log.shape;
        if !shape.is_plausible(size, self.reader.length()) {
            return Err("a size out of range");
        }
        let beginning = self.log.beginning(key);
        let (mut hashes, mut found) = (Vec::new(), Vec::new());
        for node in shape.forest(size) {
            hashes.push(self.section(node, &beginning, &mut found)?);
        }
        let values = if self.log.scheme.has_values {
            self.values(&found)?
        } else {
            Vec::new()
        };
        self.reader.finish()?;
        if !self.log.scheme.has_values && !found.is_empty() {
            return Err("the member is there");
        }
        let all = (size > 0).then(|| bag(&hashes));
        if root_digest(&self.log.id, size, all) != *root {
            return Err("another digest");
        }
        Ok(Statement::Values(values))
    }

    /// What belongs to one root of the forest; its hash. Elements of the key are added to those that were found.
    fn section(
        &mut self,
        root: Node,
        beginning: &[u8],
        found: &mut Vec<&'a [u8]>,
    ) -> Result<Hash, Refusal> {
        let block_level = self.log.scheme.block_level;
        self.shown.clear();
        if root.0 < block_level {
            let (_, hash) = self.elements(root)?;
            found.extend(self.of_key(beginning));
            return Ok(hash);
        }
        // Where blocks are single elements none is shown without a proof.
        if root.0 == block_level && block_level > 0 {
            let (accumulator, inner) = self.block(root)?;
            found.extend(self.of_key(beginning));
            return Ok(sealed(root.0, accumulator, &inner));
        }
        let blocks = self.block_numbers(root)?;
        let (accumulator, inner) = if blocks.is_empty() {
            self.stub()?
        } else {
            self.open(root, &blocks)?
        };
        let here: Vec<&[u8]> = self.of_key(beginning).collect();
        let each = 1 << block_level;
        let holds = |block: &[(u64, &[u8])]| block.iter().any(|one| one.1.starts_with(beginning));
        if !self.shown.chunks(each).all(holds) {
            return Err("a block without the key");
        }
        self.evidence(accumulator, beginning, &here)?;
        found.extend(here);
        Ok(sealed(root.0, accumulator, &inner))
    }

    /// The elements of the key among those shown.
    fn of_key(&self, beginning: &[u8]) -> impl Iterator<Item = &'a [u8]> {
        let elements = self.shown.iter().map(|(_, element)| *element);
        elements.filter(move |element| element.starts_with(beginning))
    }

    /// The blocks that are shown of a tree, as indices in the whole log.
    fn block_numbers(&mut self, root: Node) -> Result<Vec<u64>, Refusal> {
        let block_level = self.log.scheme.block_level;
        let first = start(root) >> block_level;
        let mut blocks: Vec<u64> = Vec::new();
        for _ in 0..self.reader.count(4, 4)? {
            let block = first + self.reader.number(4)?;
            if block >= end(root) >> block_level || blocks.last().is_some_and(|last| *last >= block)
            {
                return Err("blocks that do not ascend within the tree");
            }
            blocks.push(block);
        }
        Ok(blocks)
    }

    /// The values of these elements.
    fn values(&mut self, elements: &[&[u8]]) -> Result<Vec<Vec<u8>>, Refusal> {
        if self.reader.count(4, 4)? != elements.len() {
            return Err("another number of values");
        }
        let mut occurrences: BTreeMap<&[u8], u64> = BTreeMap::new();
        let mut values = Vec::new();
        for element in elements {
            let length = self.reader.count(4, 1)?;
            let value = self.reader.take(Kind::Bytes, length)?;
            let occurrence = occurrences.entry(value).or_default();
            *occurrence += 1;
            if length > 1 << 24 || element[32..] != value_half(value, *occurrence) {
                return Err("another value");
            }
            values.push(value.to_vec());
        }
        Ok(values)
    }
}
