//! Prunes old versions of a repository of stored rows.

use std::collections::BTreeMap;

use pad_core::{LookupError, StoreFault, Suite, Version, codec::encode_body};

use super::{
    design::StorableDesign,
    layout::{STATE, State, decoded, record_key, records_of, retired_key, runs_between, tuple_key},
    repository::StoredTupleRepository,
    rows::Rows,
};
use crate::source::Source;

impl<S: Suite, D: StorableDesign<S>, R: Rows> StoredTupleRepository<S, D, R> {
    /// Drops the contents of all versions before `oldest`. Their heads stay. Flushes staged rows
    /// first.
    ///
    /// Time: proportional to the runs (lists of tuples) of the dropped versions, and to the tuples
    /// that only these versions contain. Designs with the rule `Plain` also read the numbers of all
    /// tuples of the version `oldest`.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, another writer has written, or
    /// the rows cannot be read or written.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.flush()?;
        let row = encode_body(&self.state);
        let is_known = self.written.as_ref().is_none_or(|written| *written == row);
        if !is_known {
            // Another writer has written: the known state is outdated.
            return Err(StoreFault::Closed.into());
        }
        let (instants, mut removed) = self.read(|reader| {
            let instants = Source::<S, D>::instants(reader, oldest)?;
            if reader.state != self.state {
                return Err(StoreFault::Closed.into());
            }
            let mut removed = Vec::new();
            let first = reader.state.oldest.number().saturating_add(1);
            for version in (first..=oldest.number()).map(Version::new) {
                let key = retired_key(version);
                let gone = reader.rows.get(&key)?.ok_or(StoreFault::Damaged)?;
                for number in decoded::<Vec<u64>>(&gone)? {
                    removed.push(tuple_key(number)..tuple_key(number.saturating_add(1)));
                    removed.push(records_of(number));
                }
                let next = version.next().ok_or(StoreFault::Damaged)?;
                removed.push(key..retired_key(next));
            }
            if D::EACH_INSTANT && oldest > reader.state.oldest {
                for (generation, instant) in instants.iter().enumerate() {
                    for (_, number) in reader.run(generation, *instant)? {
                        removed.push(record_key(number, None)..record_key(number, Some(*instant)));
                    }
                }
            }
            Ok::<_, LookupError>((instants, removed))
        })?;
        if oldest <= self.state.oldest {
            return Ok(());
        }
        let runs = instants.into_iter().enumerate();
        removed.extend(runs.map(|(generation, instant)| runs_between(generation, 0, instant)));
        let state = State {
            oldest,
            ..self.state.clone()
        };
        let row = encode_body(&state);
        let written = BTreeMap::from([(STATE.to_vec(), row.clone())]);
        let known = (STATE, self.written.as_deref());
        self.rows.write(known, &removed, &written)?;
        (self.state, self.written) = (state, Some(row));
        Ok(())
    }
}
