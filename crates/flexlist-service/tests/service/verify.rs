//! Verification of answers by the test owner, with the verifiers of the library.

use flexlist::{
    FileState,
    audit::{AuditAnswer, AuditFailure, Auditor},
    challenge::{Challenge, Context, Leaf, Questions, assign},
    internals::tag_digest,
    list::{ProvenBlock, Sha256, verify_indices, verify_range},
};
use flexlist_service::{internals::message::Response, server::FileServer};
use pad_core::Untrusted;

use crate::{owner::Owner, plan::count};

impl Owner {
    /// Audits a sample and the whole file, and reads the whole file.
    pub(crate) fn check_all(&self, server: &FileServer) {
        let total = self.state.total;
        if total == 0 {
            return;
        }
        let seed = [u8::try_from(self.version % 251).unwrap(); 32];
        self.audit(server, Challenge::Sample { seed, count: 40 });
        let (start, end) = (0, total);
        self.audit(server, Challenge::Every { seed, start, end });
        assert_eq!(self.read(server, 0, total), self.blocks);
    }

    /// Audits, and checks the proof.
    pub(crate) fn audit(&self, server: &FileServer, challenge: Challenge) {
        let response = server.handle(self.audit_request(challenge));
        self.verify_audit(&challenge, &response).unwrap();
    }

    pub(crate) fn verify_audit(
        &self,
        challenge: &Challenge,
        response: &Response,
    ) -> Result<(), AuditFailure> {
        let Response::Audited {
            list_proof,
            committed,
            tag_proof,
        } = response.clone()
        else {
            panic!("{response:?}");
        };
        let auditor = Auditor {
            state: FileState {
                file: self.file,
                version: self.version,
                list: self.state,
            },
            key: self.key.verifier(),
        };
        let answer = AuditAnswer {
            list_proof,
            committed,
            tag_proof,
        };
        let verdict = Untrusted::new(answer).verify(&auditor, challenge);
        let by_parts = self.verify_by_parts(challenge, response);
        assert_eq!(
            verdict.is_ok(),
            by_parts.is_ok(),
            "{verdict:?} and {by_parts:?}"
        );
        verdict.map(drop)
    }

    /// Verifies an audit in its single steps, without the library's [`Auditor`].
    fn verify_by_parts(&self, challenge: &Challenge, response: &Response) -> Result<(), String> {
        let Response::Audited {
            list_proof,
            committed,
            tag_proof,
        } = response
        else {
            return Err(format!("{response:?}"));
        };
        let context = Context {
            file: self.file,
            version: self.version,
            root: self.state.root,
            total: self.state.total,
        };
        let leaves = |proven: &[ProvenBlock]| -> Vec<Leaf> {
            let leaf = |block: &ProvenBlock| Leaf {
                start: block.start,
                length: block.length,
            };
            proven.iter().map(leaf).collect()
        };
        let (proven, challenged) = match challenge.questions(&context).unwrap() {
            Questions::Samples(samples) => {
                let indices: Vec<u64> = samples.iter().map(|sample| sample.index).collect();
                let proven = verify_indices::<Sha256>(&list_proof.0, &self.state, &indices);
                let proven = proven.map_err(|error| error.to_string())?.get().clone();
                let challenged = assign(&samples, &leaves(&proven));
                (proven, challenged.map_err(|error| error.to_string())?)
            }
            Questions::Blocks(blocks) => {
                let range = blocks.range();
                let proven = verify_range::<Sha256>(&list_proof.0, &self.state, range);
                let proven = proven.map_err(|error| error.to_string())?.get().clone();
                let challenged = blocks.assign(&leaves(&proven));
                (proven, challenged.map_err(|error| error.to_string())?)
            }
        };
        if committed.len() != proven.len() {
            return Err("another number of tags".into());
        }
        for (block, committed) in proven.iter().zip(committed) {
            if tag_digest::<Sha256>(&committed.0) != block.tag_digest {
                return Err("another tag".into());
            }
        }
        let blocks: Vec<_> = challenged.into_iter().zip(committed.clone()).collect();
        let verified = self.key.verifier().verify(&blocks, &tag_proof.0);
        verified.map_err(|error| error.to_string())
    }

    /// Reads the blocks that overlap a range, and checks the proof.
    pub(crate) fn read(&self, server: &FileServer, start: u64, end: u64) -> Vec<Vec<u8>> {
        let response = server.handle(self.read_request(start, end));
        let Response::Read { list_proof, blocks } = response else {
            panic!("{response:?}");
        };
        let proven = verify_range::<Sha256>(&list_proof.0, &self.state, start..end).unwrap();
        assert_eq!(proven.get().len(), blocks.len());
        let kind = self.key.kind();
        for (proven, block) in proven.get().iter().zip(&blocks) {
            let tag_digest = tag_digest::<Sha256>(&block.committed.0);
            assert_eq!(tag_digest, proven.tag_digest);
            assert_eq!(count(block.data.0.len()), proven.length);
            kind.check_block(proven.start, &block.committed.0, &block.data.0)
                .unwrap();
        }
        blocks.into_iter().map(|block| block.data.0).collect()
    }
}
