//! Tests of `bench::flexlist::network::uplink`.

use std::{
    thread,
    time::{Duration, Instant},
};

use bench::flexlist::network::uplink::Uplink;

#[test]
fn answers_of_all_clients_take_their_time_one_after_another() {
    // Twice 50 kB at 4 Mbit/s: a fifth of a second.
    let (uplink, start) = (Uplink::new(4e6), Instant::now());
    assert_eq!(uplink.answer_bytes(), 0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| uplink.wait(50_000));
        }
    });
    assert!(start.elapsed() >= Duration::from_millis(180));
    assert_eq!(uplink.answer_bytes(), 100_000);
    // Without a limit, nothing is waited for.
    Uplink::new(f64::INFINITY).wait(usize::MAX);
}
