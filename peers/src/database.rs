//! Diem's Jellyfish Merkle tree, stored in a file of the database redb. Nodes are inserted in
//! ascending order of their keys, so redb writes little more than their bytes.

use std::path::Path;

use anyhow::Context as _;
use jmt::{
    KeyHash, OwnedValue, RootHash, Sha256Jmt,
    proof::SparseMerkleProof,
    storage::{LeafNode, Node, NodeBatch, NodeKey, TreeReader, TreeWriter},
};
use redb::{Database, ReadOnlyTable, ReadableDatabase as _, TableDefinition};
use sha2::Sha256;

use crate::Outcome;

type Rows = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// Table of nodes. The key is the version and then the path, so that the nodes of a version are
/// adjacent.
const NODES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("nodes");
/// Table of values. The key is the dictionary key and then the version that set the value.
const VALUES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("values");
/// Table of the root of each version, by version.
const ROOTS: TableDefinition<'_, u64, [u8; 32]> = TableDefinition::new("roots");

/// A Jellyfish Merkle tree in a database file.
pub struct JellyfishFile {
    database: Database,
    /// Table of nodes as of the latest version. It stays open, because opening it for each node
    /// would cost more than reading the node.
    nodes: Rows,
    values: Rows,
    /// Latest version and its root; `None` before the first version.
    latest: Option<(u64, RootHash)>,
}

impl JellyfishFile {
    /// Opens the tree in a file, which is created if it is missing.
    pub fn open(path: &Path) -> Outcome<Self> {
        let database = Database::create(path)?;
        let writing = database.begin_write()?;
        writing.open_table(NODES)?;
        writing.open_table(VALUES)?;
        writing.open_table(ROOTS)?;
        writing.commit()?;
        Self::of(database)
    }

    /// Opens the tree in an existing file, without writing to it.
    pub fn open_existing(path: &Path) -> Outcome<Self> {
        Self::of(Database::open(path)?)
    }

    fn of(database: Database) -> Outcome<Self> {
        use redb::ReadableTable as _;
        let reading = database.begin_read()?;
        let roots = reading.open_table(ROOTS)?;
        let latest = roots.last()?;
        let latest = latest.map(|(version, root)| (version.value(), RootHash(root.value())));
        Ok(Self {
            nodes: reading.open_table(NODES)?,
            values: reading.open_table(VALUES)?,
            latest,
            database,
        })
    }

    /// Stores new values as the next version. The version is durable when this returns.
    pub fn commit(mut self, changes: Vec<(KeyHash, OwnedValue)>) -> Outcome<Self> {
        let version = self.latest.map_or(0, |(version, _)| version + 1);
        let changes = changes.into_iter();
        let values = changes.map(|(key, value)| (key, Some(value)));
        let (root, batch) = Sha256Jmt::new(&self).put_value_set(values, version)?;
        self.write(&batch.node_batch, Some((version, root)))?;
        let reading = self.database.begin_read()?;
        self.nodes = reading.open_table(NODES)?;
        self.values = reading.open_table(VALUES)?;
        self.latest = Some((version, root));
        Ok(self)
    }

    fn write(&self, batch: &NodeBatch, root: Option<(u64, RootHash)>) -> anyhow::Result<()> {
        let writing = self.database.begin_write()?;
        {
            let mut nodes = writing.open_table(NODES)?;
            for (key, node) in batch.nodes() {
                let node = borsh::to_vec(node)?;
                nodes.insert(node_name(key)?.as_slice(), node.as_slice())?;
            }
            let mut values = writing.open_table(VALUES)?;
            for ((version, key), value) in batch.values() {
                let value = borsh::to_vec(value)?;
                values.insert(value_name(*key, *version).as_slice(), value.as_slice())?;
            }
            if let Some((version, root)) = root {
                writing.open_table(ROOTS)?.insert(version, root.0)?;
            }
        }
        writing.commit()?;
        Ok(())
    }

    /// Returns the value of a key in the latest version, or `None` if it is absent, with the proof.
    pub fn prove(&self, key: KeyHash) -> Outcome<(Option<OwnedValue>, SparseMerkleProof<Sha256>)> {
        let (version, _) = self.latest.ok_or("there is no version")?;
        Ok(Sha256Jmt::new(self).get_with_proof(key, version)?)
    }

    /// Returns the root of the latest version.
    pub fn root(&self) -> Outcome<RootHash> {
        Ok(self.latest.ok_or("there is no version")?.1)
    }
}

/// Encodes the key of a node for the table of nodes: the version, then the path.
fn node_name(key: &NodeKey) -> anyhow::Result<Vec<u8>> {
    let mut name = key.version().to_be_bytes().to_vec();
    name.extend(borsh::to_vec(key.nibble_path())?);
    Ok(name)
}

fn value_name(key: KeyHash, version: u64) -> Vec<u8> {
    [&key.0[..], &version.to_be_bytes()].concat()
}

impl TreeReader for JellyfishFile {
    fn get_node_option(&self, key: &NodeKey) -> anyhow::Result<Option<Node>> {
        let found = self.nodes.get(node_name(key)?.as_slice())?;
        let node = found.map(|row| borsh::from_slice(row.value()));
        node.transpose().context("a node is not readable")
    }

    fn get_rightmost_leaf(&self) -> anyhow::Result<Option<(NodeKey, LeafNode)>> {
        anyhow::bail!("it is for restoring, which is not measured")
    }

    fn get_value_option(&self, most: u64, key: KeyHash) -> anyhow::Result<Option<OwnedValue>> {
        let (first, last) = (value_name(key, 0), value_name(key, most));
        let mut found = self.values.range(first.as_slice()..=last.as_slice())?;
        match found.next_back() {
            None => Ok(None),
            Some(row) => Ok(borsh::from_slice(row?.1.value())?),
        }
    }
}

impl TreeWriter for JellyfishFile {
    fn write_node_batch(&self, batch: &NodeBatch) -> anyhow::Result<()> {
        self.write(batch, None)
    }
}
