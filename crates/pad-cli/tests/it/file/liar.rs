//! A server in this process that answers honestly, except for the requests that it lies about.

use std::sync::{Arc, Mutex};

use flexlist_service::{
    internals::message::{Request, Response},
    network::{Endpoint, Handler, Options, RunningServer, Server},
    server::{FileServer, Limits},
};
use pad_core::Workers;

use crate::bench::Bench;

/// A false response to a request. For `None`, the honest server answers.
type Lie = dyn FnMut(&Request, &FileServer) -> Option<Response> + Send;

/// Returns the lie about a request if there is one, and the honest server's response otherwise.
struct HonestHandler {
    server: FileServer,
    lie: Arc<Mutex<Option<Box<Lie>>>>,
}

impl Handler for HonestHandler {
    fn handle(&self, request: Request) -> Response {
        if let Some(lie) = self.lie.lock().unwrap().as_mut()
            && let Some(response) = lie(&request, &self.server)
        {
            return response;
        }
        self.server.handle(request)
    }
}

/// A running server. Tests can change its lie.
pub(crate) struct Liar {
    running: Option<RunningServer>,
    lie: Arc<Mutex<Option<Box<Lie>>>>,
}

impl Liar {
    /// Creates a bench with a server that answers honestly at first.
    pub(crate) fn bench() -> (Bench, Self) {
        let bench = Bench::new();
        let server = Self::start(&bench);
        (bench, server)
    }

    /// Creates a bench like [`Self::bench`] with the file `original`, which is uploaded with the
    /// key `k` and the state `s`. Also returns the arguments that name all of them.
    pub(crate) fn with_file(contents: &[u8]) -> (Bench, Self, String) {
        let (bench, server) = Self::bench();
        bench.write("original", contents);
        let file = format!("--state s --key k --server {}", server.address());
        bench.ok(&format!("file upload {file} original"));
        (bench, server, file)
    }

    /// Starts a server that answers honestly at first. Its store is in the bench's folder.
    pub(crate) fn start(bench: &Bench) -> Self {
        let server = FileServer::open(
            &bench.path("liar.redb"),
            // Some cases leave an upload behind for each refusal, so the limit is higher.
            Limits {
                unfinished_per_owner: 100,
                ..Limits::default()
            },
            Workers::sequential(),
        )
        .unwrap();
        let lie = Arc::default();
        let handler = HonestHandler {
            server,
            lie: Arc::clone(&lie),
        };
        let options = Options::default();
        let endpoint = Endpoint::new(handler, options.limits);
        let server = Server::bind("127.0.0.1:0", options).unwrap();
        Self {
            running: Some(server.start(endpoint).unwrap()),
            lie,
        }
    }

    /// Returns the arguments that name this server in a command.
    pub(crate) fn address(&self) -> String {
        self.running.as_ref().unwrap().address().to_string()
    }

    /// Sets the function that returns false responses to some requests.
    pub(crate) fn lie(
        &self,
        lie: impl FnMut(&Request, &FileServer) -> Option<Response> + Send + 'static,
    ) {
        *self.lie.lock().unwrap() = Some(Box::new(lie));
    }

    /// Makes the server answer all requests honestly.
    pub(crate) fn be_honest(&self) {
        *self.lie.lock().unwrap() = None;
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.shutdown(core::time::Duration::from_secs(10));
            let _ = running.join();
        }
    }
}
