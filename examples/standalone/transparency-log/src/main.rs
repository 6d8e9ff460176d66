//! A checkpoint with the cosignature of a witness.

use transparency_log::{
    Checkpoint, Policy, Timestamp,
    note::{Cosigner, NoteSigner},
    tree::Hash,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let log = NoteSigner::new("example.com/log".parse()?, &[1; 32]);
    let witness = Cosigner::new("witness.example/w".parse()?, &[2; 32]);

    let checkpoint = Checkpoint::new("example.com/log", 1, Hash::of_leaf(b"an entry"))?;
    let mut note = checkpoint.sign(&log);
    let time = Timestamp::from_seconds(1_700_000_000).ok_or("a time")?;
    note.add(witness.cosign(&checkpoint, time))?;

    let policy = format!(
        "log {}\nwitness w {}\nquorum w\n",
        log.verifier(),
        witness.verifier()
    );
    let policy: Policy = policy.parse()?;
    let accepted = policy.verify(&note)?;
    assert_eq!(accepted.checkpoint().size(), 1);
    assert_eq!(accepted.cosignatures()[0].time, time);
    println!("the witness has seen this checkpoint");
    Ok(())
}
