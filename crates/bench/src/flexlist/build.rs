//! Building the list of a file from scratch on several threads: figures 6 and 7.

use std::{num::NonZeroUsize, time::Instant};

use flexlist::{
    FlexList, Level,
    list::{Block, Sha256},
    tag::{OwnerKey, TagKind, WriteId},
};
use pad_core::{Digest, Workers};

use super::{
    blocks::{BLOCK_BYTES, blocks, content},
    counted::{CountingHash, count},
    limits::bare_hashes,
};
use crate::{line, prelude::*};

/// Bytes of content that the blocks repeat: more than fit a cache, fewer than the files have.
const CONTENT_BYTES: usize = 64 << 20;

/// Bytes of content that the blocks repeat in a quick run.
const QUICK_CONTENT_BYTES: usize = 1 << 20;

/// Measures builds for every number of blocks and of threads: first without tags, then with tags
/// that only the owner can verify.
pub fn run(sizes: &[u64], threads: &[NonZeroUsize], report: &mut Report) -> Outcome<()> {
    let pools = threads.iter().map(|threads| Workers::new(*threads));
    let pools: Vec<Workers> = pools.collect::<Result<_, _>>()?;
    for &size in sizes {
        let blocks = blocks(size);
        let (hashes, list) =
            count(|| FlexList::<CountingHash>::build(&blocks, &Workers::sequential()));
        drop(list?);
        report_builds(hashes, &pools, report, |_| Ok((blocks.clone(), None)))?;
        drop(blocks);
        report_tagged(size, hashes, &pools, report)?;
    }
    Ok(())
}

/// Measures builds that also make the tags from the blocks' bytes. This is all work of a file's
/// owner before an upload.
fn report_tagged(size: u64, hashes: u64, pools: &[Workers], report: &mut Report) -> Outcome<()> {
    let owner = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential())?;
    let bytes = report.rounds(CONTENT_BYTES, QUICK_CONTENT_BYTES);
    let content = content(&mut Random::new(size), bytes);
    let stored = content.chunks_exact(BLOCK_BYTES as usize).cycle();
    let writes = (0..u128::from(size)).map(|write| WriteId(write.to_be_bytes()));
    let inputs: Vec<(WriteId, &[u8])> = writes.zip(stored).collect();
    report_builds(hashes, pools, report, |workers| {
        let start = Instant::now();
        let tags = owner.tag_all(&inputs, workers)?;
        let block = |(position, tag): (u64, &flexlist::tag::BlockTag)| Block {
            length: BLOCK_BYTES,
            tag_digest: Digest(tag.digest()),
            level: Level::initial(position),
            label: position,
        };
        let blocks = (1..).zip(&tags).map(block).collect();
        let tag_ms = microseconds(start.elapsed()) / 1e3;
        Ok((blocks, Some((owner.kind(), tag_ms))))
    })
}

/// Reports the time of building a list on each number of threads. `prepare` makes the blocks, and
/// returns the kind of tags and the milliseconds of making them, if any. `hashes` is the number of
/// hashes in a build.
fn report_builds(
    hashes: u64,
    pools: &[Workers],
    report: &mut Report,
    prepare: impl Fn(&Workers) -> Outcome<(Vec<Block>, Option<(TagKind, f64)>)>,
) -> Outcome<()> {
    let (mut first, mut root) = (None, None);
    for workers in pools {
        report.announce(format!("building on {} threads", workers.threads()));
        let (blocks, tags) = prepare(workers)?;
        let expected = match root {
            Some(root) => root,
            None => FlexList::<Sha256>::build(&blocks, &Workers::sequential())?.root(),
        };
        root = Some(expected);
        let (build_ms, bare_ms) = build(&blocks, hashes, workers, report, &expected)?;
        let tag_ms = tags.map_or(0.0, |(_, tag_ms)| tag_ms);
        let total_ms = build_ms + tag_ms;
        report.measured(line! {
            experiment: "flexlist_build", blocks: blocks.len(), block_bytes: BLOCK_BYTES,
            threads: workers.threads(), tags: tags.map(|(kind, _)| kind.name()), total_ms, build_ms,
            tag_ms, ns_per_block: total_ms * 1e6 / blocks.len() as f64, hashes,
            bare_hashes_ms: bare_ms, ratio: build_ms / bare_ms,
            speed_up: *first.get_or_insert(total_ms) / total_ms,
        })?;
    }
    Ok(())
}

/// Returns the median milliseconds of building a list, and of computing only its hashes. Both kinds
/// of work alternate on the same threads. Fails if the root of the list is not `root`.
fn build(
    blocks: &[Block],
    hashes: u64,
    workers: &Workers,
    report: &Report,
    root: &Digest<32>,
) -> Outcome<(f64, f64)> {
    let (mut build, mut bare) = (Timings::default(), Timings::default());
    for _ in 0..report.rounds(5, 1) {
        let list = build.time(1, || FlexList::<Sha256>::build(blocks, workers))?;
        let is_same = list.root() == *root;
        ensure(is_same, "a build on several threads has another root")?;
        drop(list);
        bare.time(1, || bare_hashes(hashes, workers));
    }
    Ok((build.median_us() / 1e3, bare.median_us() / 1e3))
}
