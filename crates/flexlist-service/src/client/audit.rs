//! Audits: verification that the server stores the file.

use core::ops::Range;

use flexlist::{
    Detection, FileState,
    audit::{AuditAnswer, Auditor},
    challenge::{Challenge, Context, Questions},
    internals::Bytes,
    tag::TagKind,
};
use pad_core::{HeadSignature, Untrusted};
use signature::Signer;

use super::{
    error::{
        AuditFailure, AuditFault, AuditSubject, ClientError, SearchEnd, Silence, UnansweredAudit,
    },
    file::FileClient,
    locate::Search,
    queries::{VersionQueries, random},
    question::{AuditQueryError, Blocks},
    transport::Transport,
};
use crate::{
    count,
    message::{Refusal, Request, Response},
};

/// Number of bytes covered by the first request of a full audit. The sizes of later requests adapt
/// to the answers.
const FIRST_WINDOW: u64 = 1 << 20;

/// Maximum number of bytes sampled by one request. Even if every sample lies in a different block
/// of the maximum length, a server with default limits answers.
const SAMPLED_AT_ONCE: u32 = 512;

/// The extent of an audit: which bytes of the file the client challenges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// A sample of this number of random bytes.
    Sample(u32),
    /// A sample of random bytes, as many as this detection target (loss and probability) needs.
    Detect(Detection),
    /// Every block, completely. For tags of [`TagKind::HashOnly`], which prove only chunks of a
    /// block, the file is read and discarded.
    Everything,
}

/// The result of a successful audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// The version that was audited.
    pub state: FileState,
    /// Number of challenged bytes. Bytes drawn twice count twice.
    pub bytes: u64,
    /// Number of blocks proved. Blocks covered by two requests count twice.
    pub blocks: u64,
    /// Number of requests to which the server sent a valid answer.
    pub questions: u64,
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Audits the current version with fresh challenges. After each request of a full audit,
    /// `progress` gets the number of bytes covered so far.
    ///
    /// For an empty file, the client only requests the server's version. A successful report then
    /// contains no blocks and rests on the server's claim.
    ///
    /// If the audit fails, further challenges search for damaged blocks for at most
    /// [`ClientOptions::search_time`](super::ClientOptions::search_time). For tags of
    /// [`TagKind::HashOnly`], the search uses reads. The search covers the range of a full audit,
    /// or the blocks selected by a sample. Errors during the search end it and do not change the
    /// reported failure.
    ///
    /// # Errors
    /// * [`ClientError::Audit`] if the server does not prove possession, or refuses to answer
    ///   although it must.
    /// * [`ClientError::Unanswered`] if a challenge gets no answer for now. This is not a verdict
    ///   on the file.
    /// * [`ClientError::Superseded`] if the server has a newer version with the owner's signature.
    /// * [`ClientError::Challenge`] if the challenge is invalid for the file.
    /// * [`ClientError::RandomnessUnavailable`] if the operating system provides no random bytes.
    /// * The errors of [`readable`](Self::readable).
    ///
    /// Source: Esiner et al. 2013, section 2 and Algorithm A.1; Deviation: audits of every block,
    /// and the search, are not in the paper.
    pub fn audit(
        &mut self,
        extent: Extent,
        progress: &mut dyn FnMut(u64),
    ) -> Result<AuditReport, ClientError> {
        let state = self.readable()?;
        self.at(&state).audit(extent, progress)
    }
}

/// A block for which the server has proved possession.
pub(super) struct ProvedBlock {
    /// The range of the block's bytes in the file.
    pub(super) range: Range<u64>,
    /// The committed part of the block's tag.
    pub(super) committed: Bytes,
}

impl<T: Transport> VersionQueries<'_, T> {
    /// Audits the version to this `extent`. See [`FileClient::audit`].
    pub(super) fn audit(
        &self,
        extent: Extent,
        progress: &mut dyn FnMut(u64),
    ) -> Result<AuditReport, ClientError> {
        let report = AuditReport {
            state: self.state,
            bytes: 0,
            blocks: 0,
            questions: 0,
        };
        if self.state.list.total == 0 {
            return self.audit_nothing(report);
        }
        match extent {
            Extent::Sample(count) => self.audit_sample(report, count),
            Extent::Detect(detection) => self.audit_sample(report, detection.challenges()),
            Extent::Everything => self.audit_everything(report, progress),
        }
    }

    /// Calls `visit` with every block of the file in file order, after the server has proved
    /// possession of the block, or with hash-only tags of one chunk.
    pub(super) fn visit_proved(
        &self,
        visit: &mut dyn FnMut(ProvedBlock) -> Result<(), ClientError>,
    ) -> Result<(), ClientError> {
        let total = self.state.list.total;
        let mut window = FIRST_WINDOW;
        let mut start = 0;
        while start < total {
            let end = start.saturating_add(window).min(total);
            let seed = random()?;
            match self.question(Challenge::Every { seed, start, end }) {
                Ok(blocks) => {
                    let proven = blocks.last().map_or(end, |block| block.range.end).max(end);
                    let number = count(blocks.len());
                    let wanted = self.queries.options.audit_blocks;
                    window = next_window(proven.saturating_sub(start), number, wanted);
                    for block in blocks {
                        visit(block)?;
                    }
                    start = proven;
                }
                Err(AuditQueryError::TooLarge(_)) => window = window.div_ceil(2),
                Err(AuditQueryError::Fault(reason)) => {
                    let damaged = core::iter::once(start..end).collect();
                    let asked = AuditSubject::Range(start..end);
                    return Err(self.failure((SearchEnd::GivenUp, damaged), asked, reason));
                }
                Err(failed) => {
                    return Err(self.no_verdict(failed, AuditSubject::Range(start..end)));
                }
            }
        }
        Ok(())
    }

    /// Audits an empty file: asks whether the server has this version.
    fn audit_nothing(&self, mut report: AuditReport) -> Result<AuditReport, ClientError> {
        report.questions = 1;
        match self.check_status() {
            Ok(()) => Ok(report),
            Err(AuditQueryError::Fault(reason)) => {
                let nothing = (SearchEnd::Complete, Vec::new());
                Err(self.failure(nothing, AuditSubject::Version, reason))
            }
            Err(failed) => Err(self.no_verdict(failed, AuditSubject::Version)),
        }
    }

    /// Checks that the server claims to have the version that the owner knows.
    fn check_status(&self) -> Result<(), AuditQueryError> {
        let state = &self.state;
        let request = Request::Status { file: state.file };
        match self.queries.transport.exchange(&request)? {
            Response::State(status) if status.state(state.file) == *state => Ok(()),
            Response::State(status) => {
                let fault = AuditFault::State(Box::new(status));
                if status.version > state.version {
                    return Err(self.superseded_or(fault));
                }
                Err(fault.into())
            }
            Response::Refused(refusal) => Err(self.failed(0, refusal)),
            _ => Err(AuditFault::Unexpected.into()),
        }
    }

    fn audit_sample(
        &self,
        mut report: AuditReport,
        count: u32,
    ) -> Result<AuditReport, ClientError> {
        let mut left = count;
        loop {
            let count = left.min(SAMPLED_AT_ONCE);
            let seed = random()?;
            let challenge = Challenge::Sample { seed, count };
            let indices = || sampled(&challenge, &self.state);
            match self.question(challenge) {
                Ok(blocks) => report.add(&blocks),
                // Neither fewer nor other samples: otherwise the server could refuse each sample
                // that meets a lost block. The same bytes are requested one by one.
                Err(AuditQueryError::TooLarge(_)) => self.audit_singly(&mut report, indices()?)?,
                Err(failed) => return Err(self.failed_sample(failed, indices()?)),
            }
            report.bytes = report.bytes.saturating_add(count.into());
            left = left.saturating_sub(count);
            if left == 0 {
                return Ok(report);
            }
        }
    }

    /// Requests proofs for the blocks that contain the bytes at `indices`, with at most one request
    /// per byte. Adds the results to `report`.
    fn audit_singly(&self, report: &mut AuditReport, indices: Vec<u64>) -> Result<(), ClientError> {
        let mut proven = 0..0;
        for index in indices.iter().copied() {
            if proven.contains(&index) {
                continue;
            }
            match self.prove_range(index..index.saturating_add(1)) {
                Ok(blocks) => {
                    report.add(&blocks);
                    proven = index..blocks.last().map_or(index, |block| block.end);
                }
                Err(failed) => return Err(self.failed_sample(failed, indices)),
            }
        }
        Ok(())
    }

    /// Returns the error for a failed request about the sampled bytes at `indices`. Searches around
    /// these bytes if the server is at fault.
    fn failed_sample(&self, failed: AuditQueryError, indices: Vec<u64>) -> ClientError {
        match failed {
            AuditQueryError::Fault(reason) => {
                let mut search = self.search();
                search.of_samples(&indices, &self.state, &reason);
                let found = (search.end(), search.damaged());
                self.failure(found, AuditSubject::Samples(indices), reason)
            }
            failed => self.no_verdict(failed, AuditSubject::Samples(indices)),
        }
    }

    fn audit_everything(
        &self,
        mut report: AuditReport,
        progress: &mut dyn FnMut(u64),
    ) -> Result<AuditReport, ClientError> {
        let total = self.state.list.total;
        let mut search = self.search();
        let mut first_fault = None;
        let mut window = FIRST_WINDOW.min(self.widest());
        let mut start = 0;
        while start < total {
            if first_fault.is_some() && search.is_late() {
                search.give_up(start..total);
                break;
            }
            let end = start.saturating_add(window).min(total);
            match self.prove_range(start..end) {
                Ok(blocks) => {
                    report.add(&blocks);
                    // The last block may extend beyond the requested range.
                    let proven = blocks.last().map_or(end, |block| block.end);
                    let covered = proven.saturating_sub(start);
                    let wanted = self.queries.options.audit_blocks;
                    window = next_window(covered, count(blocks.len()), wanted).min(self.widest());
                    start = proven.max(end);
                }
                Err(AuditQueryError::TooLarge(_)) => {
                    window = window.div_ceil(2);
                    continue;
                }
                Err(AuditQueryError::Fault(fault)) => {
                    search.of_range(start..end, total, &fault);
                    first_fault.get_or_insert((AuditSubject::Range(start..end), fault));
                    // Widens the window again: a server must not lengthen the audit by first
                    // refusing blocks and then failing to prove them.
                    let most = window.max(FIRST_WINDOW).min(self.widest());
                    window = window.saturating_mul(2).min(most);
                    start = end;
                    if search.end() == SearchEnd::GivenUp {
                        search.give_up(start..total);
                        start = total;
                    }
                }
                // The failure that is proven already is still reported.
                Err(_) if first_fault.is_some() => {
                    search.give_up(start..total);
                    start = total;
                }
                Err(failed) => {
                    return Err(self.no_verdict(failed, AuditSubject::Range(start..total)));
                }
            }
            progress(start);
        }
        report.bytes = total;
        match first_fault {
            None => Ok(report),
            Some((asked, reason)) => {
                Err(self.failure((search.end(), search.damaged()), asked, reason))
            }
        }
    }

    fn search(&self) -> Search<impl FnMut(Range<u64>) -> Blocks> {
        let patience = self.queries.options.search_time;
        Search::new(patience, move |range| self.prove_range(range))
    }

    /// Returns the maximum number of bytes covered by one request of a full audit.
    fn widest(&self) -> u64 {
        match self.queries.tags.kind() {
            TagKind::HashOnly => self.queries.options.read_bytes.max(1),
            _ => u64::MAX,
        }
    }

    /// Requests proof that the server possesses every byte of every block that overlaps `range`.
    /// Returns the ranges of these blocks.
    fn prove_range(&self, range: Range<u64>) -> Blocks {
        match self.queries.tags.kind() {
            // A challenge opens one chunk per block and proves nothing about the other chunks.
            TagKind::HashOnly => self.read_range(range),
            _ => self.question_range(range),
        }
    }

    /// Reads and verifies every block that overlaps `range`. Returns the ranges of these blocks.
    fn read_range(&self, range: Range<u64>) -> Blocks {
        let bytes = range.end.saturating_sub(range.start);
        let blocks = self.blocks(range);
        let blocks = blocks.map_err(|error| match error {
            ClientError::Refused(refusal) => self.failed(bytes, refusal),
            ClientError::Transport(error) => error.into(),
            ClientError::Proof(error) => AuditFault::Answer(error.into()).into(),
            ClientError::Blocks(error) => AuditFault::Answer(error.into()).into(),
            ClientError::Unexpected => AuditFault::Unexpected.into(),
            error => error.into(),
        })?;
        let ranges = blocks.iter().map(|block| block.start..block.end());
        Ok(ranges.collect())
    }

    /// Classifies the refusal of a request about `bytes` bytes. A newer version is not the server's
    /// fault if the owner has signed it.
    fn failed(&self, bytes: u64, refusal: Refusal) -> AuditQueryError {
        match refusal {
            Refusal::UnknownVersion { current, .. } if current > self.state.version => {
                self.superseded_or(AuditFault::Refused(refusal))
            }
            refusal => AuditQueryError::refused(bytes, refusal),
        }
    }

    fn superseded_or(&self, fault: AuditFault) -> AuditQueryError {
        let known = self.known.version;
        match self.queries.newer(&self.known) {
            Some(newer) => ClientError::Superseded { known, newer }.into(),
            None => fault.into(),
        }
    }

    /// Challenges, with a fresh seed, every block that overlaps `range`. Returns the ranges of the
    /// proved blocks.
    fn question_range(&self, range: Range<u64>) -> Blocks {
        let Range { start, end } = range;
        let seed = random()?;
        let blocks = self.question(Challenge::Every { seed, start, end })?;
        Ok(blocks.into_iter().map(|block| block.range).collect())
    }

    /// Sends a challenge and verifies the answer. Returns the blocks proved.
    fn question(&self, challenge: Challenge) -> Result<Vec<ProvedBlock>, AuditQueryError> {
        let state = &self.state;
        let key = self.queries.tags.key().ok_or(ClientError::OwnerAudits)?;
        // A challenge that does not fit the file is not the server's fault.
        challenge
            .questions(&Context::from(state))
            .map_err(ClientError::Challenge)?;
        let request = Request::Audit {
            file: state.file,
            version: state.version,
            challenge,
        };
        let answer = match self.queries.transport.exchange(&request)? {
            Response::Audited {
                list_proof,
                committed,
                tag_proof,
            } => AuditAnswer {
                list_proof,
                committed,
                tag_proof,
            },
            Response::Refused(refusal) => {
                let bytes = match challenge {
                    Challenge::Sample { count, .. } => count.into(),
                    Challenge::Every { start, end, .. } => end.saturating_sub(start),
                };
                return Err(self.failed(bytes, refusal));
            }
            _ => return Err(AuditFault::Unexpected.into()),
        };
        let auditor = Auditor {
            state: *state,
            key: key.clone(),
        };
        let committed = answer.committed.clone();
        let verified = Untrusted::new(answer).verify(&auditor, &challenge);
        let ranges = verified.map_err(AuditFault::Answer)?.into_inner().blocks;
        let blocks = ranges.into_iter().zip(committed);
        let blocks = blocks.map(|(range, committed)| ProvedBlock { range, committed });
        Ok(blocks.collect())
    }

    /// Returns the error for a failed audit. The search for damage ended as `search`, and found the
    /// ranges `damaged`.
    fn failure(
        &self,
        (search, damaged): (SearchEnd, Vec<Range<u64>>),
        asked: AuditSubject,
        reason: AuditFault,
    ) -> ClientError {
        ClientError::Audit(AuditFailure {
            version: self.state.version,
            asked,
            damaged,
            search,
            reason,
        })
    }

    /// Returns the error for a request that failed without a fault of the server.
    fn no_verdict(&self, failed: AuditQueryError, asked: AuditSubject) -> ClientError {
        let reason = match failed {
            AuditQueryError::Silent(reason) => reason,
            AuditQueryError::TooLarge(reason) => Silence::Refused(Refusal::TooLarge(reason)),
            AuditQueryError::Client(error) => return error,
            AuditQueryError::Fault(_) => return ClientError::Unexpected,
        };
        ClientError::Unanswered(UnansweredAudit {
            version: self.state.version,
            asked,
            reason,
        })
    }
}

impl AuditReport {
    /// Counts a valid answer that proves `blocks`.
    fn add<B>(&mut self, blocks: &[B]) {
        self.blocks = self.blocks.saturating_add(count(blocks.len()));
        self.questions = self.questions.saturating_add(1);
    }
}

/// Returns the indices of the bytes that a challenge samples, ascending and without duplicates.
fn sampled(challenge: &Challenge, state: &FileState) -> Result<Vec<u64>, ClientError> {
    let Questions::Samples(samples) = challenge.questions(&Context::from(state))? else {
        return Ok(Vec::new());
    };
    let mut indices: Vec<u64> = samples.iter().map(|sample| sample.index).collect();
    indices.sort_unstable();
    indices.dedup();
    Ok(indices)
}

/// Returns the number of bytes for the next request, so that it covers about `wanted` blocks. The
/// last request covered `covered` bytes in `blocks` blocks. The result is at most four times
/// `covered`.
fn next_window(covered: u64, blocks: u64, wanted: u64) -> u64 {
    let average = covered.checked_div(blocks).unwrap_or(covered).max(1);
    average
        .saturating_mul(wanted)
        .clamp(1, covered.saturating_mul(4).max(1))
}
