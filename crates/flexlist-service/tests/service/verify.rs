//! Verification of answers by the test owner, with the verifiers of the library.

use flexlist::{
    FileState,
    audit::{AuditAnswer, AuditFailure, Auditor},
    challenge::Challenge,
    internals::tag_digest,
    list::{Sha256, verify_range},
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
        Untrusted::new(answer).verify(&auditor, challenge).map(drop)
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
