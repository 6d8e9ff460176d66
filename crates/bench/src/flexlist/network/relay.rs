//! TCP relay in front of a server. It limits responses to the bandwidth of an uplink.
//!
//! It needs no special permission, unlike network settings of the system, and slows down no other
//! program.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Maximum number of bytes that are forwarded together: 3 ms at 48 Mbit/s.
const PIECE: usize = 16 << 10;

/// A running relay.
pub struct Relay {
    address: SocketAddr,
    uplink: Arc<Uplink>,
    stopped: Arc<AtomicBool>,
    accepting: JoinHandle<()>,
}

impl Relay {
    /// Starts a relay to `server`. The responses of all connections together are limited to
    /// `bits_per_second` bits per second.
    pub fn start(server: SocketAddr, bits_per_second: f64) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let uplink = Arc::new(Uplink {
            bytes_per_second: bits_per_second / 8.0,
            bytes: AtomicU64::new(0),
            free: Mutex::new(Instant::now()),
        });
        let (stop, shared) = (Arc::clone(&stopped), Arc::clone(&uplink));
        let accepting = thread::spawn(move || {
            for client in listener.incoming() {
                if stop.load(Ordering::Acquire) {
                    break;
                }
                // A failed connection is noticed by the client.
                let _ = client.and_then(|client| relay(client, server, &shared));
            }
        });
        Ok(Self {
            address,
            uplink,
            stopped,
            accepting,
        })
    }

    /// Returns the address that clients connect to.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the bytes of all responses so far, including HTTP headers.
    pub fn answer_bytes(&self) -> u64 {
        self.uplink.bytes.load(Ordering::Relaxed)
    }

    /// Stops accepting connections. Existing connections continue until their clients close them.
    pub fn stop(self) {
        self.stopped.store(true, Ordering::Release);
        // Wakes the thread, which then sees that it is stopped.
        let _ = TcpStream::connect(self.address);
        let _ = self.accepting.join();
    }
}

fn relay(client: TcpStream, server: SocketAddr, uplink: &Arc<Uplink>) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    let uplink = Arc::clone(uplink);
    thread::spawn(move || pass(from_client, to_server, |_| ()));
    thread::spawn(move || pass(server, client, |bytes| uplink.wait(bytes)));
    Ok(())
}

/// Copies bytes from `from` to `to` until the sender is done. Calls `wait` with the length of each
/// piece before sending it.
fn pass(mut from: TcpStream, mut to: TcpStream, wait: impl Fn(usize)) {
    let mut piece = vec![0; PIECE];
    while let Ok(read @ 1..) = from.read(&mut piece) {
        wait(read);
        if to.write_all(&piece[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Uplink that the responses of all connections share. It sends one piece after another.
struct Uplink {
    bytes_per_second: f64,
    bytes: AtomicU64,
    /// Time at which the uplink will have sent all accepted pieces.
    free: Mutex<Instant>,
}

impl Uplink {
    /// Waits as long as the uplink takes to send a piece of `bytes` bytes after all earlier pieces.
    fn wait(&self, bytes: usize) {
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
