//! A server in this process that carries out requests, but for those that it lies about.

use std::sync::{Arc, Mutex};

use authdict::Workers;
use flexlist_service::{
    message::{Request, Response},
    network::{Handler, Options, RunningServer, Server},
    server::{FileServer, Limits},
};

use crate::bench::Bench;

/// Response of a lying server to a request. `None` leaves it to the honest server.
type Lie = dyn FnMut(&Request, &FileServer) -> Option<Response> + Send;

/// The handler.
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

/// A running server; its lie can be changed.
pub(crate) struct Liar {
    running: Option<RunningServer>,
    lie: Arc<Mutex<Option<Box<Lie>>>>,
}

impl Liar {
    /// A server whose store is in the bench's folder, honest for now.
    pub(crate) fn start(bench: &Bench) -> Self {
        let server = FileServer::open(
            &bench.path("liar.redb"),
            // Some cases leave an upload behind for each refusal.
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
        let server = Server::bind("127.0.0.1:0", Options::default()).unwrap();
        Self {
            running: Some(server.start(handler).unwrap()),
            lie,
        }
    }

    /// The words that name the server to a command.
    pub(crate) fn address(&self) -> String {
        self.running.as_ref().unwrap().address().to_string()
    }

    /// Answers some requests in its own way.
    pub(crate) fn lie(
        &self,
        lie: impl FnMut(&Request, &FileServer) -> Option<Response> + Send + 'static,
    ) {
        *self.lie.lock().unwrap() = Some(Box::new(lie));
    }

    /// Answers honestly.
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
