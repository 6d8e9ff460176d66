//! Quotas for connections, requests, threads and memory, so that no peer can exhaust them.
//!
//! A peer is an IPv4 address, or the first half of an IPv6 address, which is the network of one
//! subscriber.

use core::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use http::HeaderMap;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::{Limits, counters::ConnectionCounters, options::FORWARDED_FOR};

/// Maximum bytes of a message that may use the memory reserve.
pub(super) const SMALL: usize = 1 << 16;

/// Key of the limits per peer: an IPv4 address, an IPv6 network with a 64-bit prefix, or a trusted
/// proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Peer(IpAddr);

impl Peer {
    pub(super) fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
            address @ IpAddr::V4(_) => address,
        })
    }

    pub(super) const fn address(self) -> IpAddr {
        self.0
    }
}

/// Usage and limits of all resources, in total and per peer.
#[derive(Debug)]
pub(super) struct Peers {
    connections: Shares,
    /// Requests for blocking threads that were received as a whole and are in progress or queued.
    requests: Shares,
    bodies: Shares,
    answers: Shares,
    /// Memory for small bodies and responses, used when the other memory limits are reached.
    reserve: Shares,
    /// Threads for all peers. The next field contains the threads reserved for peers that use none.
    threads: Arc<Semaphore>,
    threads_for_first: Arc<Semaphore>,
    /// Maximum number of requests of one peer that are handled concurrently.
    at_work: usize,
    threads_by_peer: Mutex<HashMap<Peer, Weak<PeerThreads>>>,
    /// Peers with slow brief requests, and their debt at a time.
    debts: Mutex<HashMap<Peer, Debt>>,
    proxies: Vec<IpAddr>,
    counters: Arc<ConnectionCounters>,
}

/// Semaphores for the threads of one peer.
#[derive(Debug)]
struct PeerThreads {
    all: Arc<Semaphore>,
    /// Permit to wait for a reserved thread and to use it. Only one request of the peer has it at a
    /// time.
    first: Arc<Semaphore>,
    /// Number of threads that the peer uses.
    running: AtomicUsize,
    ended: Notify,
}

impl PeerThreads {
    /// Waits until the peer uses no thread.
    async fn none_runs(&self) {
        loop {
            let ended = self.ended.notified();
            if self.running.load(Ordering::Acquire) == 0 {
                return;
            }
            ended.await;
        }
    }
}

/// A permit to run a request on a blocking thread. Dropping it returns the thread.
#[derive(Debug)]
pub(super) struct ThreadPermit {
    threads: Arc<PeerThreads>,
    _of_peer: OwnedSemaphorePermit,
    _first: Option<OwnedSemaphorePermit>,
    _of_all: OwnedSemaphorePermit,
}

impl Drop for ThreadPermit {
    fn drop(&mut self) {
        self.threads.running.fetch_sub(1, Ordering::AcqRel);
        self.threads.ended.notify_waiters();
    }
}

/// A brief request ([`Work::Brief`](crate::server::Work::Brief)) that takes this long or longer is
/// slow. The time of slow requests is the debt of their peer.
const BRIEF: Duration = Duration::from_millis(5);
/// A peer with this debt or more is heavy, so its brief requests run on blocking threads. A few
/// requests that are slow only because the machine is busy do not make a peer heavy.
const HEAVY: Duration = Duration::from_millis(50);
/// Maximum debt: a peer is heavy for at most ten seconds after its last slow request.
const LARGEST_DEBT: Duration = Duration::from_millis(550);
/// A debt is reduced by one second in this number of seconds.
const REDUCTION: u32 = 20;
/// Maximum number of peers with a debt. The debt of further peers is not recorded.
const MOST_DEBTS: usize = 1 << 12;

/// Time that slow requests of a peer took, less its reduction until `at`.
#[derive(Debug)]
struct Debt {
    amount: Duration,
    at: Instant,
}

impl Debt {
    fn now(&self) -> Duration {
        self.after(Instant::now())
    }

    fn after(&self, now: Instant) -> Duration {
        let since = now.saturating_duration_since(self.at);
        let reduction = since.checked_div(REDUCTION).unwrap_or_default();
        self.amount.saturating_sub(reduction)
    }
}

/// Shared state of one connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) address: IpAddr,
    /// Number of responses in memory that the client has not read.
    unsent: AtomicUsize,
}

impl Connection {
    pub(super) const fn of(address: IpAddr) -> Self {
        let unsent = AtomicUsize::new(0);
        Self { address, unsent }
    }

    pub(super) fn has_unsent(&self) -> bool {
        self.unsent.load(Ordering::Acquire) > 0
    }
}

impl Peers {
    pub(super) fn new(limits: &Limits, proxies: &[IpAddr]) -> Arc<Self> {
        let proxies: Vec<_> = proxies.iter().map(IpAddr::to_canonical).collect();
        let requests = limits.in_flight.saturating_add(limits.waiting);
        let eighth = limits.reserve_bytes / 8;
        let in_flight = limits.in_flight.clamp(1, Semaphore::MAX_PERMITS / 2);
        let for_first = in_flight.div_ceil(4).min(in_flight.saturating_sub(1));
        Arc::new(Self {
            connections: Shares::new(limits.connections, limits.connections_per_peer)
                .with_some_for_first()
                .with_half_for_each(&proxies),
            requests: Shares::new(requests, limits.requests_per_peer).with_some_for_first(),
            bodies: Shares::new(limits.body_bytes, limits.bytes_per_peer),
            answers: Shares::new(limits.answer_bytes, limits.bytes_per_peer),
            reserve: Shares::new(limits.reserve_bytes, eighth.max(SMALL)),
            threads: Arc::new(Semaphore::new(in_flight.saturating_sub(for_first))),
            threads_for_first: Arc::new(Semaphore::new(for_first)),
            at_work: (in_flight / 2).max(1),
            threads_by_peer: Mutex::default(),
            debts: Mutex::default(),
            proxies,
            counters: Arc::default(),
        })
    }

    /// Registers a connection. Returns `None` if the total limit or the peer's limit is reached.
    pub(super) fn connect(self: &Arc<Self>, address: SocketAddr) -> Option<ConnectionSlot> {
        let address = address.ip().to_canonical();
        let peer = self.peer_at(address);
        let Some(share) = Share::take(self, |peers| &peers.connections, peer, 1) else {
            self.counters.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        self.counters.accepted.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(Connection::of(address));
        Some(ConnectionSlot {
            connection,
            counters: Arc::clone(&self.counters),
            _share: share,
        })
    }

    /// Returns the counters of connections.
    pub(super) const fn counters(&self) -> &Arc<ConnectionCounters> {
        &self.counters
    }

    /// Returns the peer of a request. This is the connection's address or, if that is a trusted
    /// proxy, the client in `X-Forwarded-For`.
    pub(super) fn of_request(&self, connection: &Connection, headers: &HeaderMap) -> Peer {
        let last = connection.address;
        if !self.proxies.contains(&last) {
            return Peer::new(last);
        }
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        // Each address is parsed separately, because the client may have written the first ones.
        let names = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        // Each proxy appends the address of its own client to the header.
        let mut asked_from = last;
        for name in names {
            let name = str::from_utf8(name).unwrap_or_default();
            let Ok(address) = name.trim().parse::<IpAddr>() else {
                break;
            };
            asked_from = address.to_canonical();
            if !self.proxies.contains(&asked_from) {
                break;
            }
        }
        self.peer_at(asked_from)
    }

    /// Returns the peer with a canonical address. A trusted proxy is a separate peer from other
    /// addresses in its network.
    fn peer_at(&self, address: IpAddr) -> Peer {
        if self.proxies.contains(&address) {
            return Peer(address);
        }
        Peer::new(address)
    }

    /// Reserves a place among the requests in progress and queued. Returns `None` if the total
    /// limit or the peer's limit is reached.
    pub(super) fn admit(self: &Arc<Self>, peer: Peer) -> Option<Share> {
        Share::take(self, |peers| &peers.requests, peer, 1)
    }

    /// Waits for a thread to run a request of `peer` on. A peer can use at most half of the
    /// threads. A quarter of all threads is reserved for peers that use none.
    pub(super) async fn acquire_thread(&self, peer: Peer) -> Option<ThreadPermit> {
        let threads = self.threads_of(peer);
        let of_peer = Arc::clone(&threads.all).acquire_owned().await.ok()?;
        let as_first = async {
            let first = Arc::clone(&threads.first).acquire_owned().await.ok()?;
            threads.none_runs().await;
            let thread = Arc::clone(&self.threads_for_first).acquire_owned();
            Some((first, thread.await.ok()?))
        };
        let (first, of_all) = tokio::select! {
            biased;
            thread = Arc::clone(&self.threads).acquire_owned() => (None, thread.ok()?),
            reserved = as_first => {
                let (first, thread) = reserved?;
                (Some(first), thread)
            }
        };
        threads.running.fetch_add(1, Ordering::AcqRel);
        Some(ThreadPermit {
            threads,
            _of_peer: of_peer,
            _first: first,
            _of_all: of_all,
        })
    }

    /// Returns whether brief requests of this peer run on blocking threads, because recent ones
    /// took too long.
    pub(super) fn is_heavy(&self, peer: Peer) -> bool {
        let debts = self.debts();
        debts.get(&peer).is_some_and(|debt| debt.now() >= HEAVY)
    }

    /// Adds the time of a brief request to the debt of its peer, if the request was slow.
    pub(super) fn note_brief(&self, peer: Peer, took: Duration) {
        if took < BRIEF {
            return;
        }
        let mut debts = self.debts();
        if debts.len() >= MOST_DEBTS {
            debts.retain(|_, debt| !debt.now().is_zero());
        }
        if debts.len() >= MOST_DEBTS && !debts.contains_key(&peer) {
            return;
        }
        let before = debts.get(&peer).map_or(Duration::ZERO, Debt::now);
        let debt = Debt {
            amount: before.saturating_add(took).min(LARGEST_DEBT),
            at: Instant::now(),
        };
        debts.insert(peer, debt);
    }

    // No code panics while the lock is held, so the value in a poisoned lock is intact.
    fn debts(&self) -> MutexGuard<'_, HashMap<Peer, Debt>> {
        self.debts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the thread semaphores of a peer, which all its requests share.
    fn threads_of(&self, peer: Peer) -> Arc<PeerThreads> {
        let mut peers = self
            .threads_by_peer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(threads) = peers.get(&peer).and_then(Weak::upgrade) {
            return threads;
        }
        // Entries of peers without requests are removed here.
        peers.retain(|_, threads| threads.strong_count() > 0);
        let new = Arc::new(PeerThreads {
            all: Arc::new(Semaphore::new(self.at_work)),
            first: Arc::new(Semaphore::new(1)),
            running: AtomicUsize::new(0),
            ended: Notify::new(),
        });
        peers.insert(peer, Arc::downgrade(&new));
        new
    }

    /// Returns whether the limits leave no place for another request of this peer at present.
    pub(super) fn has_no_place(&self, peer: Peer) -> bool {
        !self.requests.has_room(peer, 1)
    }

    /// Returns whether this peer uses more than half of its limit of response memory. Its next
    /// response may then exceed the limit.
    pub(super) fn is_exhausted(&self, peer: Peer) -> bool {
        self.answers.is_half_taken(peer)
    }

    /// Returns whether the memory limits leave no room at present for a body of `bytes` bytes from
    /// this peer.
    pub(super) fn is_too_much(&self, peer: Peer, bytes: usize) -> bool {
        let is_small = bytes <= SMALL && self.reserve.has_room(peer, bytes);
        !is_small && !self.bodies.has_room(peer, bytes)
    }

    /// Reserves memory for `bytes` bytes of a body; `None` if a limit is reached. `whole` is the
    /// body's total length, if known.
    pub(super) fn take_body(
        self: &Arc<Self>,
        peer: Peer,
        bytes: usize,
        whole: Option<usize>,
    ) -> Option<Share> {
        Share::take(self, |peers| &peers.bodies, peer, bytes).or_else(|| {
            let is_small = whole.is_some_and(|whole| whole <= SMALL);
            is_small.then_some(())?;
            Share::take(self, |peers| &peers.reserve, peer, bytes)
        })
    }

    /// Reserves memory for a response of `bytes` bytes until it is sent; `None` if a limit is
    /// reached.
    pub(super) fn take_answer(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
        peer: Peer,
        bytes: usize,
    ) -> Option<Unsent> {
        let share = Share::take(self, |peers| &peers.answers, peer, bytes).or_else(|| {
            (bytes <= SMALL).then_some(())?;
            Share::take(self, |peers| &peers.reserve, peer, bytes)
        })?;
        connection.unsent.fetch_add(1, Ordering::AcqRel);
        Some(Unsent {
            connection: Arc::clone(connection),
            _share: share,
        })
    }
}

/// A slot for an open connection, counted against the limits. Dropping it frees the slot.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    pub(super) connection: Arc<Connection>,
    counters: Arc<ConnectionCounters>,
    _share: Share,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.counters.closed.fetch_add(1, Ordering::Release);
    }
}

/// Memory of a response that is not sent yet. Dropping it releases the memory.
#[derive(Debug)]
pub(super) struct Unsent {
    connection: Arc<Connection>,
    _share: Share,
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.connection.unsent.fetch_sub(1, Ordering::AcqRel);
    }
}

/// An amount of a resource that is reserved for a peer. Dropping this value releases the amount.
#[derive(Debug)]
pub(super) struct Share {
    peers: Arc<Peers>,
    of: fn(&Peers) -> &Shares,
    peer: Peer,
    amount: usize,
}

impl Share {
    fn take(
        peers: &Arc<Peers>,
        of: fn(&Peers) -> &Shares,
        peer: Peer,
        amount: usize,
    ) -> Option<Self> {
        of(peers).take(peer, amount).then(|| Self {
            peers: Arc::clone(peers),
            of,
            peer,
            amount,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        (self.of)(&self.peers).give_back(self.peer, self.amount);
    }
}

/// A counted resource, with a limit in total and a limit per peer.
#[derive(Debug)]
struct Shares {
    for_all: usize,
    for_each: usize,
    /// Amount of the resource that is reserved for peers that use none.
    for_first: usize,
    /// Peers that may use half of the total.
    large: Vec<Peer>,
    taken: Mutex<ResourceUsage>,
}

#[derive(Debug, Default)]
struct ResourceUsage {
    by_all: usize,
    by: HashMap<Peer, usize>,
}

impl Shares {
    fn new(for_all: usize, for_each: usize) -> Self {
        Self {
            for_all,
            for_each,
            for_first: 0,
            large: Vec::new(),
            taken: Mutex::default(),
        }
    }

    /// Reserves a quarter of the resource for peers that use none.
    const fn with_some_for_first(mut self) -> Self {
        self.for_first = self.for_all / 4;
        self
    }

    /// Raises the limit of each address in `large` to half of the total.
    fn with_half_for_each(mut self, large: &[IpAddr]) -> Self {
        self.large = large.iter().copied().map(Peer).collect();
        self
    }

    fn take(&self, peer: Peer, amount: usize) -> bool {
        let mut taken = self.taken();
        if !self.fits(&taken, peer, amount) {
            return false;
        }
        if amount > 0 {
            taken.by_all = taken.by_all.saturating_add(amount);
            let of_peer = taken.by.entry(peer).or_default();
            *of_peer = of_peer.saturating_add(amount);
        }
        true
    }

    fn has_room(&self, peer: Peer, amount: usize) -> bool {
        self.fits(&self.taken(), peer, amount)
    }

    /// Returns whether this peer uses more than half of its limit.
    fn is_half_taken(&self, peer: Peer) -> bool {
        let taken = self.taken();
        let of_peer = taken.by.get(&peer).copied().unwrap_or_default();
        of_peer > self.for_each / 2
    }

    fn fits(&self, taken: &ResourceUsage, peer: Peer, amount: usize) -> bool {
        let of_peer = taken.by.get(&peer).copied().unwrap_or_default();
        let is_first = of_peer == 0 && amount <= 1;
        let kept = if is_first { 0 } else { self.for_first };
        let is_large = self.large.contains(&peer);
        let for_each = if is_large {
            self.for_each.max(self.for_all / 2)
        } else {
            self.for_each
        };
        taken.by_all.saturating_add(amount) <= self.for_all.saturating_sub(kept)
            && of_peer.saturating_add(amount) <= for_each
    }

    fn give_back(&self, peer: Peer, amount: usize) {
        let mut taken = self.taken();
        taken.by_all = taken.by_all.saturating_sub(amount);
        if let Some(of_peer) = taken.by.get_mut(&peer) {
            *of_peer = of_peer.saturating_sub(amount);
            if *of_peer == 0 {
                taken.by.remove(&peer);
            }
        }
    }

    // No code panics while the lock is held, so the value in a poisoned lock is intact.
    fn taken(&self) -> MutexGuard<'_, ResourceUsage> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(address: &str) -> Peer {
        Peer::new(address.parse().unwrap())
    }

    #[test]
    fn a_subscriber_is_one_peer() {
        assert_ne!(peer("10.0.0.1"), peer("10.0.0.2"));
        assert_eq!(peer("10.0.0.1"), peer("::ffff:10.0.0.1"));
        assert_eq!(peer("2001:db8:1:2::1"), peer("2001:db8:1:2:3:4:5:6"));
        assert_ne!(peer("2001:db8:1:2::1"), peer("2001:db8:1:3::1"));
    }

    #[test]
    fn shares_end_for_each_before_they_end_for_all() {
        let shares = Shares::new(10, 6);
        let (first, second, third) = (peer("10.0.0.1"), peer("10.0.0.2"), peer("10.0.0.3"));
        assert!(!shares.take(first, 7));
        assert!(shares.take(first, 6));
        assert!(!shares.take(first, 1));
        assert!(shares.take(second, 4));
        assert!(!shares.take(second, 1));
        assert!(!shares.take(third, usize::MAX));
        shares.give_back(first, 1);
        assert!(shares.take(third, 1));
        for (peer, amount) in [(first, 5), (second, 4), (third, 1)] {
            shares.give_back(peer, amount);
        }
        let taken = shares.taken();
        assert_eq!((taken.by_all, taken.by.len()), (0, 0));
    }

    #[test]
    fn a_quarter_is_for_those_who_have_nothing() {
        let shares = Shares::new(8, 4).with_some_for_first();
        let peers = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map(peer);
        let take = |peer| (0..5).take_while(|_| shares.take(peer, 1)).count();
        assert_eq!(peers.map(take), [4, 2, 1, 1]);
    }

    #[test]
    fn peers_are_heavy_after_many_slow_requests_or_one_long_one() {
        let peers = Peers::new(&Limits::default(), &[]);
        let [once, often, long, quick] = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map(peer);
        peers.note_brief(once, BRIEF);
        peers.note_brief(long, Duration::MAX);
        for _ in 0..200 {
            peers.note_brief(often, BRIEF);
            peers.note_brief(quick, BRIEF / 2);
        }
        let heavy = [once, often, long, quick].map(|peer| peers.is_heavy(peer));
        assert_eq!(heavy, [false, true, true, false]);
        assert!(
            peers
                .debts()
                .values()
                .all(|debt| debt.amount <= LARGEST_DEBT)
        );
    }

    #[test]
    fn debts_fall_with_time() {
        let at = Instant::now();
        let after = |span| at.checked_add(span).unwrap();
        let debt = Debt {
            amount: LARGEST_DEBT,
            at,
        };
        assert!(debt.after(after(Duration::from_secs(9))) >= HEAVY);
        assert!(debt.after(after(Duration::from_secs(10))) <= HEAVY);
        assert!(debt.after(after(Duration::from_secs(11))).is_zero());
    }

    #[test]
    fn a_trusted_proxy_is_a_peer_alone() {
        let limits = Limits {
            connections: 16,
            connections_per_peer: 2,
            ..Limits::default()
        };
        let proxy = "2001:db8::1";
        let peers = Peers::new(&limits, &[proxy.parse().unwrap()]);
        let connect = |address: &str| {
            let address = SocketAddr::new(address.parse().unwrap(), 1);
            let connected = (0..16).map_while(|_| peers.connect(address));
            connected.collect::<Vec<_>>()
        };
        let (neighbour, proxied) = (connect("2001:db8::2"), connect(proxy));
        assert_eq!([neighbour.len(), proxied.len()], [2, 8]);
        let counters = peers.counters();
        let counted = [counters.accepted(), counters.refused(), counters.open()];
        assert_eq!(counted, [10, 2, 10]);
        drop(proxied);
        assert_eq!([counters.accepted(), counters.open()], [10, 2]);
    }
}
