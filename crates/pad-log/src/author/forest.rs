//! The trees of a log: accumulators, hashes and certificates of all nodes, from the blocks' level
//! upwards.

mod building;

use std::{
    borrow::Cow,
    collections::HashMap,
    mem,
    sync::{Arc, OnceLock},
};

use ark_bls12_381::Fr;
use ark_ff::Field;
use bls12::scalar::SCALAR_BYTES;
use pad_accumulators::{AccumulateError, AccumulatorId, internals::polynomial};
use pad_core::{Digest, Workers};

use super::{
    building::{Building, Jobs},
    frontier_tree::{FrontierPlan, FrontierTree},
    job::{Made, Merge},
    node::Node,
    steps::run_to_end,
    stepwise::Pace,
};
use crate::{
    certificate::block_challenge,
    hash,
    log::Log,
    prefix::roots_of,
    scheme::{Completeness, Scheme},
    shape::Address,
};

/// The trees over the elements of a log.
///
/// Space:
///
/// - 160 bytes for each node, with one node for every four elements;
/// - the elements;
/// - 32 bytes for each root of the polynomials of trees that have no parent, or had none before the
///   latest build;
/// - the [frontiers](crate::frontier).
#[derive(Clone, Debug)]
pub(crate) struct Forest<S: Scheme> {
    log: Log<S>,
    workers: Workers,
    /// All elements, concatenated. Elements from `size` on are not in a node yet.
    pub(super) elements: Vec<u8>,
    /// The number of elements that the nodes cover.
    pub(super) size: u64,
    /// The available nodes of each level: those that digests and proofs use. The first list is that
    /// of the blocks' level.
    pub(super) levels: Vec<Vec<Node>>,
    /// The polynomials of nodes whose parents are not made yet. A polynomial that is missing here
    /// is computed from the elements. An empty cell keeps it once it has been computed.
    polynomials: HashMap<Address, OnceLock<Arc<Vec<Fr>>>>,
    /// The polynomials of older nodes whose parents were made in the latest build.
    /// [`Forest::truncate`] restores them.
    pub(super) joined: HashMap<Address, Arc<Vec<Fr>>>,
    /// The frontiers of the forest's roots, for every size at which [`Forest::build`] was called;
    /// in frontier schemes only.
    pub(super) frontiers: HashMap<Address, Arc<FrontierTree>>,
    /// The nodes under construction, in deferred logs.
    jobs: Jobs,
}

impl<S: Scheme> Forest<S> {
    pub(crate) fn new(log: Log<S>, workers: Workers) -> Self {
        let shape = log.shape();
        let levels = usize::from(shape.top_level() - shape.block_level()) + 1;
        let jobs = Jobs::new(Building::default(), shape.schedule());
        Self {
            log,
            workers,
            elements: Vec::new(),
            size: 0,
            levels: vec![Vec::new(); levels],
            polynomials: HashMap::new(),
            joined: HashMap::new(),
            frontiers: HashMap::new(),
            jobs,
        }
    }

    pub(crate) const fn log(&self) -> &Log<S> {
        &self.log
    }

    pub(crate) const fn workers(&self) -> &Workers {
        &self.workers
    }

    /// The number of elements that the nodes cover.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// The number of elements, including elements that are not in a node yet.
    pub(super) fn pushed(&self) -> u64 {
        to_u64(self.elements.len() / S::element_bytes())
    }

    /// Adds an element, which stays outside all nodes until the next [`Forest::build`].
    pub(crate) fn push(&mut self, element: &[u8]) {
        self.elements.extend_from_slice(element);
    }

    /// Computes all nodes that become available with the pushed elements. Also runs the steps that
    /// are due for nodes that will become available.
    ///
    /// Cost: for each node, two sums in G1, each with one term for each root of its polynomial. In
    /// frontier schemes also the frontiers of the new roots.
    ///
    /// # Errors
    /// [`AccumulateError`] if the parameters have too few powers for the top level or hashes have
    /// collided.
    pub(crate) fn build(&mut self) -> Result<(), AccumulateError> {
        let size = self.pushed();
        let shape = self.log.shape();
        self.joined.clear();
        for level in shape.block_level()..=shape.top_level() {
            self.put_due(level, size)?;
            let first = to_u64(self.level(level).len());
            let new: Vec<Address> = (first..size)
                .map(|index| Address { level, index })
                .take_while(|node| shape.is_available(*node, size))
                .collect();
            // Makes a few nodes at a time, because their polynomials are in memory together.
            for nodes in new.chunks((TOGETHER / degree::<S>(level)).max(1)) {
                if level == shape.block_level() {
                    self.make_blocks(nodes)?;
                } else {
                    self.make(nodes)?;
                }
            }
        }
        if S::COMPLETENESS == Completeness::Frontier {
            for tree in shape.forest(size).filter(|root| shape.is_proved(*root)) {
                if !self.frontiers.contains_key(&tree) {
                    let frontier = self.make_frontier(tree)?;
                    self.frontiers.insert(tree, Arc::new(frontier));
                }
            }
        }
        self.size = size;
        self.advance();
        Ok(())
    }

    /// Returns the [frontier](crate::frontier) of a tree. Trees so small that look-ups include all
    /// their elements need none.
    ///
    /// Cost: none for roots of sizes at which [`Forest::build`] was called. Other frontiers are
    /// computed.
    pub(crate) fn frontier(&self, tree: Address) -> Result<Cow<'_, FrontierTree>, AccumulateError> {
        match self.frontiers.get(&tree) {
            Some(known) => Ok(Cow::Borrowed(known)),
            None => self.make_frontier(tree).map(Cow::Owned),
        }
    }

    fn make_frontier(&self, tree: Address) -> Result<FrontierTree, AccumulateError> {
        let made = (self.node(tree).accumulator, self.polynomial(tree));
        run_to_end(self.plan(tree).make::<S>(made, self.pace()))
    }

    /// Prepares the computation of a tree's frontier: sorts the elements and divides the frontier
    /// into groups.
    fn plan(&self, tree: Address) -> FrontierPlan {
        FrontierPlan::new::<S>(
            (self.id(), self.log.setup().clone()),
            self.elements_of(tree),
        )
    }

    fn pace(&self) -> Pace {
        Pace::at_once(self.workers.clone())
    }

    /// Removes the elements from position `size` on, and the nodes that are not available in a log
    /// of `size` entries.
    pub(crate) fn truncate(&mut self, size: u64) {
        self.elements.truncate(to_usize(size) * S::element_bytes());
        self.size = self.size.min(size);
        self.truncate_jobs(self.size);
        let shape = self.log.shape();
        for (level, nodes) in (shape.block_level()..).zip(&mut self.levels) {
            let available = |index| shape.is_available(Address { level, index }, size);
            let left = (0..to_u64(nodes.len())).take_while(|index| available(*index));
            let left = left.count();
            nodes.truncate(left);
        }
        self.polynomials
            .retain(|node, _| shape.is_available(*node, size));
        let joined = mem::take(&mut self.joined).into_iter();
        let joined = joined.filter(|(node, _)| {
            let parent = Address {
                level: node.level + 1,
                index: node.index / 2,
            };
            shape.is_available(*node, size) && !shape.is_available(parent, size)
        });
        self.polynomials
            .extend(joined.map(|(node, polynomial)| (node, polynomial.into())));
        self.frontiers
            .retain(|node, _| shape.is_available(*node, size));
        self.keep_polynomials();
    }

    /// Keeps the polynomials of the latest roots from when they are first computed, in schemes
    /// whose look-ups need them. Nodes that were not made by this forest come without.
    pub(super) fn keep_polynomials(&mut self) {
        if S::COMPLETENESS == Completeness::Counted {
            let shape = self.log.shape();
            for root in shape.forest(self.size) {
                if shape.is_proved(root) {
                    self.polynomials.entry(root).or_default();
                }
            }
        }
    }

    /// The hash of an available node.
    pub(crate) fn hash(&self, node: Address) -> Digest<32> {
        if self.log.shape().is_sealed(node) {
            let Node {
                accumulator, inner, ..
            } = self.node(node);
            hash::sealed(node.level, accumulator, inner)
        } else {
            let width = S::element_bytes();
            hash::of_elements(node.start(), self.elements_of(node).chunks(width))
        }
    }

    /// The digest of the log at this size.
    pub(crate) fn digest(&self, size: u64) -> Digest<32> {
        let roots = self.log.shape().forest(size).map(|root| self.hash(root));
        let roots: Vec<Digest<32>> = roots.collect();
        hash::digest(self.log.id(), size, hash::bag(&roots))
    }

    /// The node at this address, which must be available and at the blocks' level or above.
    pub(crate) fn node(&self, node: Address) -> &Node {
        &self.level(node.level)[to_usize(node.index)]
    }

    /// The concatenated elements that a node covers.
    pub(crate) fn elements_of(&self, node: Address) -> &[u8] {
        let width = S::element_bytes();
        &self.elements[to_usize(node.start()) * width..to_usize(node.end()) * width]
    }

    /// The polynomial of a node: the product of `X - root` over the scalars of its elements.
    ///
    /// Cost: computing the product, or nothing for nodes whose polynomial is stored.
    pub(crate) fn polynomial(&self, node: Address) -> Arc<Vec<Fr>> {
        let cell = self.polynomials.get(&node);
        if let Some(known) = cell.and_then(OnceLock::get) {
            return Arc::clone(known);
        }
        // Not computed inside of the cell: a worker that waits for others may take on the work of
        // another look-up, which needs the same cell.
        let product = Arc::new(self.product(node, &self.workers));
        if let Some(cell) = cell {
            drop(cell.set(Arc::clone(&product)));
        }
        product
    }

    /// Computes the polynomial of a node: the product of `X - root` over the scalars of its
    /// elements.
    fn product(&self, node: Address, workers: &Workers) -> Vec<Fr> {
        let elements = self.elements_of(node).chunks(S::element_bytes());
        let negated: Vec<Fr> = elements.flat_map(roots_of::<S>).map(|root| -root).collect();
        if negated.len() > FEW {
            return polynomial::product(&negated, workers);
        }
        let mut product = vec![Fr::ONE];
        for root in negated {
            polynomial::multiply_by_factor(&mut product, root);
        }
        product
    }

    const fn block_level(&self) -> u8 {
        self.log.shape().block_level()
    }

    fn level(&self, level: u8) -> &Vec<Node> {
        &self.levels[usize::from(level - self.block_level())]
    }

    /// Computes the next blocks of the log, which are the nodes of the lowest level with
    /// accumulators.
    fn make_blocks(&mut self, blocks: &[Address]) -> Result<(), AccumulateError> {
        let parameters = self.log.setup().parameters();
        let sequential = Workers::sequential();
        let polynomials = self
            .workers
            .map(blocks, |block| self.product(*block, &sequential));
        let accumulators = parameters.commit_each(&polynomials, &self.workers)?;
        let parts: Vec<_> = blocks.iter().zip(polynomials).zip(accumulators).collect();
        let certified = self
            .workers
            .map(&parts, |((block, polynomial), accumulator)| {
                let inner = self.inner(**block);
                let z = block_challenge(self.log.id(), &inner, accumulator);
                (inner, polynomial::divide_by_factor(polynomial, -z).0)
            });
        let (inner, quotients): (Vec<Digest<32>>, Vec<Vec<Fr>>) = certified.into_iter().unzip();
        let quotients = parameters.commit_each(&quotients, &self.workers)?;
        for ((((block, polynomial), accumulator), inner), quotient) in
            parts.into_iter().zip(inner).zip(quotients)
        {
            let node = Node {
                accumulator,
                inner,
                value: [0; SCALAR_BYTES],
                quotient,
            };
            self.put(*block, Made::new(node, polynomial));
        }
        Ok(())
    }

    /// Computes the next nodes of one level above the blocks' level, and adds them to the forest.
    fn make(&mut self, nodes: &[Address]) -> Result<(), AccumulateError> {
        let merges: Vec<Merge> = nodes.iter().filter_map(|node| self.merge(*node)).collect();
        let pace = self.pace();
        let made = run_to_end(pace.map(&merges, Merge::run));
        for (address, made) in nodes.iter().zip(made) {
            self.put(*address, made?);
        }
        Ok(())
    }

    /// Adds a computed node, which must be the next of its level, to the forest.
    fn put(&mut self, address: Address, made: Made) {
        let row = usize::from(address.level - self.block_level());
        self.levels[row].push(made.node);
        self.polynomials.insert(address, made.polynomial.into());
        if let Some(frontier) = made.frontier {
            self.frontiers.insert(address, frontier);
        }
        if let Some((left, right)) = address.children() {
            self.join(left);
            self.join(right);
        }
    }

    /// Removes the stored polynomial of a node whose parent is finished. Keeps it in `joined` if
    /// the node was available before the latest build, which may be undone.
    fn join(&mut self, node: Address) {
        let polynomial = self.polynomials.remove(&node);
        if let Some(polynomial) = polynomial.and_then(OnceLock::into_inner)
            && self.log.shape().is_available(node, self.size)
        {
            self.joined.insert(node, polynomial);
        }
    }

    /// Computes the inner hash of a node at the blocks' level or above. It is the hash of a block's
    /// elements, or the hash of the two children's hashes.
    pub(super) fn inner(&self, node: Address) -> Digest<32> {
        match node.children() {
            Some((left, right)) if node.level > self.block_level() => {
                hash::pair(&self.hash(left), &self.hash(right))
            }
            _ => {
                let elements = self.elements_of(node).chunks(S::element_bytes());
                hash::of_elements(node.start(), elements)
            }
        }
    }
}

/// Provides the id of the log, which the challenges of evidence cover.
impl<S: Scheme> Forest<S> {
    pub(crate) const fn id(&self) -> AccumulatorId {
        self.log.id()
    }
}

pub(crate) fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(crate) fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The degree of the polynomial of a node at this level.
pub(crate) fn degree<S: Scheme>(level: u8) -> usize {
    to_usize(Address { level, index: 0 }.width()) * usize::from(S::ROOTS)
}

/// Approximate total number of coefficients in the polynomials of nodes that are computed together.
const TOGETHER: usize = 1 << 18;
/// Maximum number of roots of a node's polynomial that are multiplied one by one, without a tree of
/// products.
const FEW: usize = 64;
