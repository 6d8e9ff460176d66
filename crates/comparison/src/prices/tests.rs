use super::*;

const MINE: &str = "[mine]\nprovider = \"me\"\nas_of = 2026-11-01\nsource = \
    \"bills\"\ncompute_per_core_hour = 1\n\
                    egress_per_gigabyte = 0.5\nstorage_per_gigabyte_month = 0\n";

fn error(text: &str) -> String {
    let error = PriceBook::parse("mine.toml", text).unwrap_err();
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
    let book = PriceBook::parse("mine.toml", MINE).unwrap();
    let entry = book.only().unwrap();
    assert_eq!(entry.as_of, "2026-11-01");
    assert_eq!(
        entry.prices,
        Prices {
            bytes_per_gigabyte: 1e9,
            ..Prices::new(1.0, 0.5)
        }
    );
    assert_eq!(
        book.entry("other").unwrap_err().to_string(),
        "mine.toml has no entry 'other', it has mine"
    );
    let two = format!("{MINE}{}", MINE.replace("[mine]", "[b]"));
    let two = PriceBook::parse("mine.toml", &two).unwrap();
    assert_eq!(
        two.only().unwrap_err().to_string(),
        "mine.toml has several entries, choose one of b, mine"
    );
}

#[test]
fn errors_name_file_entry_and_key() {
    assert_eq!(error(""), "mine.toml has no entry");
    assert_eq!(
        error("compute = 1"),
        "mine.toml: 'compute' is not the table of an entry"
    );
    assert!(error("[mine]\nprovider = ").starts_with("mine.toml, line 2: "));
    assert!(error("[mine]\na = 1\na = 2\n").starts_with("mine.toml, line 3: "));
    let lacking = MINE.replace("egress_per_gigabyte = 0.5\n", "");
    assert_eq!(
        error(&lacking),
        "mine.toml: entry 'mine' lacks 'egress_per_gigabyte'"
    );
    for wrong in ["\"0.5\"", "-1", "nan", "inf"] {
        let wrong = MINE.replace("0.5", wrong);
        let expected =
            "mine.toml: entry 'mine': 'egress_per_gigabyte' is not a number of dollars, at least 0";
        assert_eq!(error(&wrong), expected);
    }
    let unknown = MINE.replace("egress_per_gigabyte", "egress");
    assert!(
        error(&unknown).starts_with("mine.toml: entry 'mine': unknown key 'egress', it is one of")
    );
    let binary = format!("{MINE}bytes_per_gigabyte = 4294967296\n");
    let binary = PriceBook::parse("mine.toml", &binary).unwrap();
    assert_eq!(
        binary.only().unwrap().prices,
        Prices {
            bytes_per_gigabyte: 4_294_967_296.0,
            ..Prices::new(1.0, 0.5)
        }
    );
    for wrong in ["0", "-1", "0.5", "\"1\""] {
        let wrong = error(&format!("{MINE}bytes_per_gigabyte = {wrong}\n"));
        let expected =
            "mine.toml: entry 'mine': 'bytes_per_gigabyte' is not a number of bytes, at least 1";
        assert_eq!(wrong, expected);
    }
}
