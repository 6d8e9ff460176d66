//! Building a list from scratch on several threads: figures 6 and 7.

use std::{num::NonZeroUsize, time::Instant};

use flexlist::{
    FlexList,
    level::Level,
    list::{Block, Sha256},
    tag::{OwnerKey, TagKind, WriteId},
};
use pad_core::{Digest, Workers};

use super::{
    FlexlistLine, Reporter, Setting,
    blocks::{BLOCK_BYTES, blocks, content},
    counted::{Counted, count},
    limits::bare_hashes,
    record::BuildRecord,
};
use crate::{
    Outcome,
    timing::{median, microseconds, rounded},
    workload::Random,
};

/// Bytes that blocks are cut from: more than fit a cache, fewer than the files have.
const CONTENT_BYTES: usize = 64 << 20;

/// The same for a quick run.
const QUICK_CONTENT_BYTES: usize = 1 << 20;

/// Measures all sizes and numbers of threads, without tags and with private ones.
pub fn run(
    sizes: &[u64],
    threads: &[NonZeroUsize],
    setting: &Setting,
    reporter: &mut dyn Reporter,
) -> Outcome<()> {
    let pools: Vec<Workers> = threads
        .iter()
        .map(|threads| Workers::new(*threads))
        .collect::<Result<_, _>>()?;
    for &size in sizes {
        let blocks = blocks(size);
        let alone = Workers::sequential();
        let (hashes, list) = count(|| FlexList::<Counted>::build(&blocks, &alone));
        let root = list?.root();
        let mut first = None;
        for workers in &pools {
            reporter.announce(&format!(
                "build, {size} blocks, {} threads",
                workers.threads()
            ));
            let (build_ms, bare_ms) = build(&blocks, hashes, workers, setting, &root)?;
            let alone_ms = *first.get_or_insert(build_ms);
            let record = Measured {
                build_ms,
                tag_ms: 0.0,
                bare_ms,
                speed_up: alone_ms / build_ms,
            };
            reporter.line(record.line(size, hashes, workers, None, setting))?;
        }
        tagged(size, hashes, &pools, setting, reporter)?;
    }
    Ok(())
}

struct Measured {
    build_ms: f64,
    tag_ms: f64,
    bare_ms: f64,
    speed_up: f64,
}

impl Measured {
    fn line(
        &self,
        blocks: u64,
        hashes: u64,
        workers: &Workers,
        tags: Option<TagKind>,
        setting: &Setting,
    ) -> FlexlistLine {
        let total_ms = self.build_ms + self.tag_ms;
        FlexlistLine::Build(BuildRecord {
            blocks,
            block_bytes: BLOCK_BYTES,
            threads: workers.threads(),
            tags: tags.map(|kind| kind.name().to_owned()),
            total_ms: rounded(total_ms),
            build_ms: rounded(self.build_ms),
            tag_ms: rounded(self.tag_ms),
            ns_per_block: rounded(total_ms * 1e6 / blocks as f64),
            hashes,
            bare_hashes_ms: rounded(self.bare_ms),
            ratio: rounded(self.build_ms / self.bare_ms),
            speed_up: rounded(self.speed_up),
            machine: setting.machine.clone(),
        })
    }
}

/// Milliseconds of a build and of its bare hashes on the same threads, in turns: medians.
fn build(
    blocks: &[Block],
    hashes: u64,
    workers: &Workers,
    setting: &Setting,
    root: &Digest<32>,
) -> Outcome<(f64, f64)> {
    let (mut build, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds(5, 1) {
        let start = Instant::now();
        let list = FlexList::<Sha256>::build(blocks, workers)?;
        build.push(microseconds(start.elapsed()) / 1e3);
        if list.root() != *root {
            return Err("a build on several threads has another root".into());
        }
        drop(list);
        let start = Instant::now();
        bare_hashes(hashes, workers);
        bare.push(microseconds(start.elapsed()) / 1e3);
    }
    Ok((median(build), median(bare)))
}

/// The same with tags made from the blocks' bytes: the whole of what an owner does before an upload.
fn tagged(
    size: u64,
    hashes: u64,
    pools: &[Workers],
    setting: &Setting,
    reporter: &mut dyn Reporter,
) -> Outcome<()> {
    let kind = TagKind::PrivateMac;
    let owner = OwnerKey::generate(kind, &Workers::sequential())?;
    let bytes = if setting.quick {
        QUICK_CONTENT_BYTES
    } else {
        CONTENT_BYTES
    };
    let content = content(&mut Random::new(size), bytes);
    let stored = content.chunks_exact(BLOCK_BYTES as usize).cycle();
    let writes = (0..u128::from(size)).map(|write| WriteId(write.to_be_bytes()));
    let inputs: Vec<(WriteId, &[u8])> = writes.zip(stored).collect();
    let (mut first, mut root) = (None, None);
    for workers in pools {
        reporter.announce(&format!(
            "build with tags, {size} blocks, {} threads",
            workers.threads()
        ));
        let start = Instant::now();
        let tags = owner.tag_all(&inputs, workers)?;
        let blocks: Vec<Block> = (1..)
            .zip(&tags)
            .map(|(position, tag)| Block {
                length: BLOCK_BYTES,
                tag_digest: Digest(tag.digest()),
                level: Level::initial(position),
                label: position,
            })
            .collect();
        let tag_ms = microseconds(start.elapsed()) / 1e3;
        drop(tags);
        let expected = match root {
            Some(root) => root,
            None => FlexList::<Sha256>::build(&blocks, &Workers::sequential())?.root(),
        };
        root = Some(expected);
        let (build_ms, bare_ms) = build(&blocks, hashes, workers, setting, &expected)?;
        let alone_ms = *first.get_or_insert(build_ms + tag_ms);
        let record = Measured {
            build_ms,
            tag_ms,
            bare_ms,
            speed_up: alone_ms / (build_ms + tag_ms),
        };
        reporter.line(record.line(size, hashes, workers, Some(kind), setting))?;
    }
    Ok(())
}
