//! The program of the tutorial `docs/tutorials/first-half-hour.md`.

use authdict::{Key, PublicKey, Question, Statement, Version, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let public = PublicKey::load("author.key.pub".as_ref())?;
    let question = Question::Key(Key::from(b"apple"));
    let proof = std::fs::read("apple.proof")?;
    // A false proof is an error with a reason.
    match verify(&public, Version::new(1), &question, &proof)? {
        Statement::Lookup(found) => println!("{}: {:?}", found.key, found.answer),
        _ => println!("an answer to another question"),
    }
    Ok(())
}
