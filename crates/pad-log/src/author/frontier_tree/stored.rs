//! Encoding of [frontiers](crate::frontier) for storage. Only commitments and their proofs are
//! stored. The order of the elements and the division into groups are computed from the elements.

use bls12::{point::G1_BYTES, scalar::SCALAR_BYTES};
use pad_accumulators::wire::Reader;

use super::{ARITY, FrontierNode, FrontierTree, groups, in_order, whole};
use crate::{certificate::ScalarBytes, scheme::Scheme};

impl FrontierTree {
    /// Encodes the proof that tree and frontier have no common root, then each node, from the
    /// groups to the root. A node has its accumulator and, if it has several children, the
    /// certificate of their product.
    pub(in crate::author) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.disjoint.clone();
        for node in self.rows.iter().flatten() {
            bytes.extend_from_slice(&node.accumulator);
            if let Some((values, quotient)) = &node.certificate {
                bytes.extend_from_slice(values.as_flattened());
                bytes.extend_from_slice(quotient);
            }
        }
        bytes
    }

    /// Decodes the frontier of a tree with these concatenated elements. Returns `None` if the bytes
    /// contain another number of nodes.
    ///
    /// The contents are not verified: clients refuse proofs that rest on wrong contents.
    ///
    /// Time: sorting the elements, and linear in their bits. Computes no sums.
    pub(in crate::author) fn decode<S: Scheme>(elements: &[u8], bytes: &[u8]) -> Option<Self> {
        let (order, elements) = in_order::<S>(elements);
        let groups = groups::<S>(whole::<S>(&elements)).into_iter();
        let groups: Vec<_> = groups.map(|group| group.first).collect();
        let mut reader = Reader::new(bytes);
        let disjoint = reader.take(DISJOINT_BYTES).ok()?.to_vec();
        let mut rows = vec![read_row(&mut reader, &vec![1; groups.len()])?];
        while let Some(below) = rows.last().map(Vec::len).filter(|below| *below > 1) {
            let places: Vec<usize> = (0..below).collect();
            let children: Vec<usize> = places.chunks(ARITY).map(<[usize]>::len).collect();
            rows.push(read_row(&mut reader, &children)?);
        }
        reader.finish().ok()?;
        Some(Self {
            order,
            groups,
            rows,
            disjoint,
        })
    }
}

/// Reads one row of nodes of a frontier's tree; `children` contains the number of children of each
/// node.
fn read_row(reader: &mut Reader<'_>, children: &[usize]) -> Option<Vec<FrontierNode>> {
    let nodes = children.iter().map(|children| {
        let accumulator = reader.array().ok()?;
        let certificate = match children {
            0 | 1 => None,
            children => {
                let values = (1..*children).map(|_| reader.array().ok());
                let values: Vec<ScalarBytes> = values.collect::<Option<_>>()?;
                Some((values, reader.array().ok()?))
            }
        };
        Some(FrontierNode {
            accumulator,
            certificate,
        })
    });
    nodes.collect()
}

/// Length in bytes of the proof that tree and frontier have no common root: commitments to `f`, `x`
/// and `y`, two values, and the quotient.
const DISJOINT_BYTES: usize = 4 * G1_BYTES + 2 * SCALAR_BYTES;
