//! A dictionary of signed tuples, whose proofs do not grow with the number of keys.

use std::error::Error;

use ed25519_dalek::SigningKey;
use pad_core::{Answer, Author, Client, Key, Server, Value};
use pad_tuple::{Tuple, designs::SpecLightweight};

type Prices = Tuple<SpecLightweight>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut author = Author::<Prices>::new("prices", SigningKey::from_bytes(&[7; 32]))?;
    let mut server = Server::<Prices>::new(author.public());
    author.put("apple", "3")?;
    let first = server.apply(&author.snapshot()?)?;
    author.put("apple", "4")?;
    let second = server.apply(&author.snapshot()?)?;

    let mut client = Client::<Prices>::new(author.public().clone());
    client.advance(&server.head(second)?, None)?;
    let (apple, plum) = (Key::from(b"apple"), Key::from(b"plum"));
    let newest = client.check(&server.answer(second, &apple)?, &apple)?;
    assert_eq!(newest.get().answer, Answer::Present(Value::from(b"4")));
    let past = client.check_at(first, &server.answer(first, &apple)?, &apple)?;
    assert_eq!(past.get().answer, Answer::Present(Value::from(b"3")));
    let absent = client.check(&server.answer(second, &plum)?, &plum)?;
    assert_eq!(absent.get().answer, Answer::Absent);
    assert!(
        client
            .check(&server.answer(first, &apple)?, &apple)
            .is_err()
    );
    println!("apple costs 4, it cost 3, and there is no plum");
    Ok(())
}
