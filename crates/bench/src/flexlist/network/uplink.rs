//! Transport over HTTP whose responses wait for an uplink of limited bandwidth.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use flexlist_service::{
    client::{HttpTransport, Transport, TransportError},
    internals::message::{Request, Response},
};
use pad_core::codec;

/// Uplink that the responses to all clients share. It sends one response after another.
pub struct Uplink {
    bytes_per_second: f64,
    bytes: AtomicU64,
    /// Time at which the uplink will have sent all accepted responses.
    free: Mutex<Instant>,
}

impl Uplink {
    /// Creates an uplink that sends `bits_per_second` bits per second.
    pub fn new(bits_per_second: f64) -> Self {
        Self {
            bytes_per_second: bits_per_second / 8.0,
            bytes: AtomicU64::new(0),
            free: Mutex::new(Instant::now()),
        }
    }

    /// Returns the bytes of all responses so far, without HTTP headers.
    pub fn answer_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Waits as long as the uplink takes to send `bytes` bytes after all earlier responses.
    pub fn wait(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let duration = Duration::from_secs_f64(bytes as f64 / self.bytes_per_second);
        let left = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            *free = (*free).max(Instant::now()) + duration;
            *free
        };
        thread::sleep(left.saturating_duration_since(Instant::now()));
    }
}

/// Transport to a server, directly or through an uplink.
pub struct Limited {
    /// Transport without a limit.
    pub http: HttpTransport,
    /// Uplink that limits responses; `None` for no limit.
    pub uplink: Option<Arc<Uplink>>,
}

impl Transport for Limited {
    fn exchange(&self, request: &Request) -> Result<Response, TransportError> {
        let response = self.http.exchange(request)?;
        if let Some(uplink) = &self.uplink {
            uplink.wait(codec::encode(&response).len());
        }
        Ok(response)
    }

    fn request_limit(&self) -> usize {
        self.http.request_limit()
    }
}
