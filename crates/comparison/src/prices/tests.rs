use super::*;

const MINE: &str = r#"{
    "name": "mine",
    "provider": "me",
    "as_of": "2026-11-01",
    "source": "bills",
    "compute_per_core_hour": 1,
    "egress_per_gigabyte": 0.5,
    "storage_per_gigabyte_month": 0
}"#;

/// Returns a price book with these entries.
fn book(entries: &[&str]) -> String {
    format!("[{}]", entries.join(","))
}

/// Returns the entry [`MINE`] with another field.
fn mine_with(field: &str) -> String {
    MINE.replace('}', &format!(",{field}}}"))
}

fn error(text: &str) -> String {
    let error = PriceBook::parse("mine.json", text).unwrap_err();
    error.to_string()
}

#[test]
fn the_shipped_book_has_providers_of_2026_and_the_paper() {
    let book = PriceBook::shipped();
    assert!(
        book.names()
            .iter()
            .filter(|name| name.ends_with("-2026"))
            .count()
            >= 3
    );
    for name in book.names() {
        let entry = book.entry(&name).unwrap();
        assert_eq!(entry.as_of.len(), "2026-01-31".len(), "{name}");
        assert!(entry.source.contains("approximate list price"), "{name}");
        assert!(entry.prices.equilibrium() > 0.0);
    }
}

#[test]
fn the_papers_prices_give_the_papers_equilibrium() {
    // Section 5.3: an extra kilobyte costs as much as 1/190 of a second, both binary.
    let kilobytes = PriceBook::paper().equilibrium() / 1024.0;
    assert!((kilobytes - 190.0).abs() < 0.5, "{kilobytes}");
    // The same with decimal gigabytes, by hand: 0.085 / 3600 / (0.13 / 10^9).
    let decimal = Prices::new(0.085, 0.13).equilibrium();
    assert!((decimal - 181_623.93).abs() < 0.01, "{decimal}");
}

#[test]
fn dollars_by_hand() {
    let prices = Prices {
        storage_per_gigabyte_month: 0.1,
        memory_per_gigabyte_month: 3.0,
        ..Prices::new(0.36, 0.2)
    };
    let near = |dollars: f64, expected: f64| assert!((dollars - expected).abs() < 1e-12);
    near(prices.of_computing(10e6), 0.001);
    near(prices.of_sending(5e9), 1.0);
    near(prices.of_storing(2e9), 0.2);
    near(prices.of_memory(5e8), 1.5);
    let cheaper = prices.cheaper(10.0, 4.0);
    near(cheaper.of_computing(10e6), 0.0001);
    near(cheaper.of_sending(5e9), 0.25);
    near(cheaper.of_storing(2e9), 0.2);
    near(cheaper.of_memory(5e8), 0.15);
}

#[test]
fn a_book_of_ones_own() {
    let mine = PriceBook::parse("mine.json", &book(&[MINE])).unwrap();
    let entry = mine.only().unwrap();
    assert_eq!(entry.as_of, "2026-11-01");
    assert_eq!(
        entry.prices,
        Prices {
            bytes_per_gigabyte: 1e9,
            ..Prices::new(1.0, 0.5)
        }
    );
    assert_eq!(
        mine.entry("other").unwrap_err().to_string(),
        "mine.json has no entry 'other', it has mine"
    );
    let two = book(&[MINE, &MINE.replace("\"mine\"", "\"b\"")]);
    let two = PriceBook::parse("mine.json", &two).unwrap();
    assert_eq!(
        two.only().unwrap_err().to_string(),
        "mine.json has several entries, choose one of b, mine"
    );
    // What is printed of an entry is read again.
    let printed = serde_json::to_string(&[entry]).unwrap();
    let again = PriceBook::parse("mine.json", &printed).unwrap();
    assert_eq!(again, mine);
}

#[test]
fn errors_name_the_file_and_the_line_or_the_entry() {
    let one = |entry: &str| error(&book(&[entry]));
    assert_eq!(error("[]"), "mine.json has no entry");
    assert!(error("").starts_with("mine.json: EOF"), "{}", error(""));
    assert_eq!(
        error("[\n1]"),
        "mine.json: invalid type: integer `1`, expected an entry at line 2 column 1"
    );
    assert_eq!(
        error(&book(&[MINE, MINE])),
        "mine.json: several entries 'mine'"
    );
    let lacking = MINE.replace("    \"egress_per_gigabyte\": 0.5,\n", "");
    assert_eq!(
        one(&lacking),
        "mine.json: missing field `egress_per_gigabyte` at line 8 column 1"
    );
    let twice = mine_with("\"source\": \"again\"");
    assert!(one(&twice).starts_with("mine.json: duplicate field `source` at line 9"));
    let unknown = mine_with("\"egress\": 1");
    assert!(one(&unknown).starts_with("mine.json: unknown field `egress`, expected one of"));
    for wrong in ["\"0.5\"", "1e999"] {
        let wrong = one(&MINE.replace("0.5", wrong));
        assert!(wrong.contains("at line 7"), "{wrong}");
    }
    assert_eq!(
        one(&MINE.replace("0.5", "-1")),
        "mine.json: entry 'mine': 'egress_per_gigabyte' is not a number of dollars, at least 0"
    );
    let binary = book(&[&mine_with("\"bytes_per_gigabyte\": 4294967296")]);
    let binary = PriceBook::parse("mine.json", &binary).unwrap();
    assert_eq!(
        binary.only().unwrap().prices,
        Prices {
            bytes_per_gigabyte: 4_294_967_296.0,
            ..Prices::new(1.0, 0.5)
        }
    );
    for wrong in ["0", "-1", "0.5"] {
        assert_eq!(
            one(&mine_with(&format!("\"bytes_per_gigabyte\": {wrong}"))),
            "mine.json: entry 'mine': 'bytes_per_gigabyte' is not a number of bytes, at least 1"
        );
    }
}
