//! Runs the load example, with honest and hostile clients, with few clients and for a short time.

use core::time::Duration;

use pad_conformance::soak;

#[path = "../../examples/load/attacks.rs"]
mod attacks;
#[path = "../../examples/load/connection.rs"]
pub(crate) mod connection;
#[path = "../../examples/load/mixed.rs"]
mod mixed;
#[path = "../../examples/load/store.rs"]
mod store;

#[test]
fn honest_clients_lose_nothing_beside_every_attack() {
    let report = mixed::run(&mixed::Plan {
        span: Duration::from_secs(soak::size(1, 2)),
        clients: 20,
        hostile: 10,
        keys: 2000,
        pause: Duration::from_millis(10),
    })
    .unwrap();
    report.check().unwrap();
    // Every client and every attack has made progress.
    assert!(report.asked >= 10, "{report}");
    let is_right = report.attacks.iter().all(|(_, count)| *count > 0);
    assert!(is_right, "{report}");
    println!("{report}");
}
