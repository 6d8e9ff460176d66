//! The failures of servers that a client has noticed.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::incident::Incident;

/// Function that receives every incident.
pub(crate) type Observer = Arc<dyn Fn(&Incident) + Send + Sync>;

/// The newest incidents since they were last taken. All clones share one list.
#[derive(Clone, Default)]
pub(crate) struct Incidents {
    list: Arc<Mutex<VecDeque<Incident>>>,
    observer: Option<Observer>,
}

/// Maximum number of incidents in the list. The limit keeps lying servers from filling the memory
/// of a program that never takes them.
const MOST_INCIDENTS: usize = 100;

impl Incidents {
    /// Sets the function that receives every incident.
    pub(crate) fn observed_by(self, observer: Observer) -> Self {
        Self {
            observer: Some(observer),
            ..self
        }
    }

    /// Adds incidents, and drops the oldest ones above the limit.
    pub(crate) fn add(&self, incidents: Vec<Incident>) {
        for incident in &incidents {
            #[cfg(feature = "tracing")]
            tracing::warn!(server = incident.server, %incident, "a server failed");
            if let Some(observer) = &self.observer {
                observer(incident);
            }
        }
        let mut list = self.list();
        list.extend(incidents);
        let surplus = list.len().saturating_sub(MOST_INCIDENTS);
        list.drain(..surplus);
    }

    /// Removes and returns all incidents, oldest first.
    pub(crate) fn take(&self) -> Vec<Incident> {
        core::mem::take(&mut *self.list()).into()
    }

    // No code panics while the lock is held, so the value in a poisoned lock is intact.
    fn list(&self) -> MutexGuard<'_, VecDeque<Incident>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::Fault;

    fn incident(number: usize) -> Incident {
        Incident {
            server: number.to_string(),
            fault: Fault::Lied("a proof does not verify".to_owned()),
            evidence: None,
            record: None,
            unkept: None,
        }
    }

    #[test]
    fn the_newest_incidents_are_kept_and_all_are_observed() {
        let observed = Arc::new(Mutex::new(Vec::new()));
        let observer = {
            let observed = Arc::clone(&observed);
            move |incident: &Incident| observed.lock().unwrap().push(incident.server.clone())
        };
        let incidents = Incidents::default().observed_by(Arc::new(observer));
        // Clones share the list.
        let [adding, taking] = [incidents.clone(), incidents];
        for number in 0..MOST_INCIDENTS {
            adding.add(vec![incident(number), incident(number)]);
        }
        assert_eq!(observed.lock().unwrap().len(), 2 * MOST_INCIDENTS);
        let taken = taking.take();
        assert_eq!(taken.len(), MOST_INCIDENTS);
        assert_eq!(taken[0], incident(MOST_INCIDENTS / 2));
        assert_eq!(adding.take(), []);
    }
}
