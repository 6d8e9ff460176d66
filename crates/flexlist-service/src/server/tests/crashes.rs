//! Tests with a crash at every write and sync: acknowledged changes are kept, and changes are
//! atomic.

use pad_disk::layer::{Reads, SimulatedFolder};

use super::*;

/// Requests of two owners, and the server's views before the first request and after each.
struct Script {
    requests: Vec<Request>,
    files: [FileId; 2],
    views: Vec<Vec<Response>>,
}

/// The progress of the requests.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    is_created: bool,
    sent: usize,
    acknowledged: usize,
}

impl Script {
    fn new() -> Self {
        let (first, file) = requests(1);
        let (second, other) = requests(2);
        let pairs = first.into_iter().zip(second);
        let mut requests: Vec<_> = pairs.flat_map(|(one, two)| [one, two]).collect();
        requests.push(acknowledge(file));
        requests.push(delete(2));
        let mut script = Self {
            requests,
            files: [file, other],
            views: Vec::new(),
        };
        script.views = script.views_without_accidents();
        script
    }

    fn views_without_accidents(&self) -> Vec<Vec<Response>> {
        let folder = SimulatedFolder::new("whole");
        let server = serve(created(&folder).unwrap()).unwrap();
        let mut views = vec![self.view(&server)];
        for request in &self.requests {
            let response = server.handle(request.clone());
            assert!(!matches!(response, Response::Refused(_)), "{response:?}");
            views.push(self.view(&server));
        }
        views
    }

    /// Returns the responses that owners can get about their files.
    fn view(&self, server: &FileServer) -> Vec<Response> {
        let mut view = Vec::new();
        for file in self.files {
            let status = server.handle(Request::Status { file });
            if let Response::State(status) = &status {
                for version in [status.version, status.version.saturating_sub(1)] {
                    view.push(server.handle(Request::Read {
                        file,
                        version,
                        start: 0,
                        end: status.total,
                    }));
                }
            }
            view.push(status);
        }
        view
    }

    /// Sends the remaining requests until one is refused.
    fn go_on(&self, server: &FileServer, progress: &mut Progress) {
        for (number, request) in (1..).zip(&self.requests).skip(progress.acknowledged) {
            progress.sent = number;
            if matches!(server.handle(request.clone()), Response::Refused(_)) {
                return;
            }
            progress.acknowledged = number;
        }
    }

    /// Sends all requests to a server whose folder stops at operation `operation`.
    fn stopped_at(&self, operation: usize) -> (SimulatedFolder, Progress) {
        let folder = SimulatedFolder::new("stopped");
        folder.stop_at(operation, Reads::Work);
        let mut progress = Progress::default();
        if let Ok(store) = created(&folder) {
            progress.is_created = true;
            // The store's own thread writes too, and may be the one that is stopped.
            if let Ok(server) = serve(store) {
                self.go_on(&server, &mut progress);
            }
        }
        (folder, progress)
    }

    /// Reopens the store after a crash, if there is one, and compares it with the acknowledged
    /// requests.
    fn reopen(&self, folder: &SimulatedFolder, progress: &mut Progress) -> Option<FileServer> {
        let store = match FileStore::open((&folder.layer(), "store"), None) {
            Err(StoreError::Missing(_)) if !progress.is_created => return None,
            opened => opened.unwrap(),
        };
        let server = serve(store).unwrap();
        let view = self.view(&server);
        let mut possible = progress.acknowledged..=progress.sent;
        let found = possible.find(|number| self.views[*number] == view);
        progress.acknowledged = found.unwrap_or_else(|| panic!("{view:?} of {progress:?}"));
        assert_eq!(server.check().damages, vec![]);
        Some(server)
    }
}

fn created(folder: &SimulatedFolder) -> Result<FileStore, StoreError> {
    FileStore::open_or_create((&folder.layer(), "store").into(), None)
}

fn serve(store: FileStore) -> Result<FileServer, StoreError> {
    FileServer::serve(store, settings())
}

#[test]
fn a_crash_at_any_operation_loses_nothing_that_was_acknowledged() {
    let script = Script::new();
    let mut operation = 1;
    loop {
        let (folder, progress) = script.stopped_at(operation);
        let one = u64::try_from(operation % 2).unwrap();
        for seed in pad_conformance::soak::size(one..one + 1, 0..2) {
            let killed = folder.after_kill();
            for left in [killed.after_power_cut(seed), killed] {
                let mut progress = progress;
                let Some(server) = script.reopen(&left, &mut progress) else {
                    continue;
                };
                script.reopen(&left.after_power_cut(seed), &mut progress);
                script.go_on(&server, &mut progress);
                assert_eq!(progress.acknowledged, script.requests.len());
                script.reopen(&left.after_power_cut(seed), &mut progress);
            }
        }
        if folder.operations().len() < operation {
            break;
        }
        operation += 1;
    }
    assert!(operation > 100, "{operation} operations");
}
