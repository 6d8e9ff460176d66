//! Synthetic trace of lookups and writes for figure 5. Half of the operations are reads. Objects
//! are referenced again uniformly or by recency. The paper's trace is not available.

use serde::Deserialize;

use crate::workload::Random;

/// Parameters of a trace. All are integers, so that the trace is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct TraceParameters {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of entries that the directory has before the trace.
    pub prefill: u64,
    /// Number of operations in the trace.
    pub operations: u64,
    /// Percentage of operations chosen to reference an object for the first time.
    pub first_percent: u64,
    /// Percentage of updates among writes to known objects. The other writes to known objects
    /// insert another object.
    pub update_percent: u64,
    /// Percentage of references to known objects that are uniform. The other references prefer
    /// recent objects, on a logarithmic scale.
    pub spread_percent: u64,
}

/// Operation of a trace on an entry, with the entry's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Looks up the entry.
    Read(u64),
    /// Replaces the entry's object.
    Update(u64),
    /// Registers an object under this id, the next unused one.
    Append(u64),
}

impl Operation {
    /// Returns the entry's id.
    pub const fn id(self) -> u64 {
        match self {
            Self::Read(id) | Self::Update(id) | Self::Append(id) => id,
        }
    }

    /// Encodes the operation as a kind byte and the id, as input for a digest over a trace.
    pub fn to_bytes(self) -> [u8; 9] {
        let kind = match self {
            Self::Read(_) => 0,
            Self::Update(_) => 1,
            Self::Append(_) => 2,
        };
        let mut bytes = [kind; 9];
        bytes[1..].copy_from_slice(&self.id().to_be_bytes());
        bytes
    }
}

/// Iterator over the operations of a trace. Memory grows with the number of ids referenced so far.
#[derive(Clone, Debug)]
pub struct Trace {
    parameters: TraceParameters,
    random: Random,
    /// The ids in the order in which they were first referenced.
    referenced: Vec<u64>,
    registered: u64,
    left: u64,
}

impl Trace {
    /// Creates the trace with `parameters`.
    pub const fn new(parameters: TraceParameters) -> Self {
        Self {
            parameters,
            random: Random::new(parameters.seed),
            referenced: Vec::new(),
            registered: parameters.prefill,
            left: parameters.operations,
        }
    }

    /// Returns a random number below `bound`: the upper half of a product. [`Random::below`]
    /// instead takes a remainder.
    fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.random.next()) * u128::from(bound);
        (product >> 64) as u64
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Chooses the id of an object that was referenced before.
    fn known(&mut self) -> u64 {
        let length = self.referenced.len() as u64;
        let bits = u64::from(u64::BITS - length.leading_zeros());
        let scale = if self.percent(self.parameters.spread_percent) {
            bits
        } else {
            self.below(bits)
        };
        let back = self.below(length.min(1 << scale));
        self.referenced[(length - 1 - back) as usize]
    }

    fn operation(&mut self) -> Operation {
        let is_write = self.random.next() & 1 == 1;
        // Draws the random number even if no object has been referenced yet.
        let is_first = self.percent(self.parameters.first_percent) || self.referenced.is_empty();
        if !is_first {
            let id = self.known();
            if !is_write {
                return Operation::Read(id);
            }
            if self.percent(self.parameters.update_percent) {
                return Operation::Update(id);
            }
        }
        if is_write {
            let id = self.registered;
            self.registered += 1;
            self.referenced.push(id);
            return Operation::Append(id);
        }
        let id = self.below(self.parameters.prefill);
        self.referenced.push(id);
        Operation::Read(id)
    }
}

impl Iterator for Trace {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        self.left = self.left.checked_sub(1)?;
        Some(self.operation())
    }
}
