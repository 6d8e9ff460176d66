//! Tests of `bench::goals`.

use bench::{
    families::FAMILIES,
    goals::{GOALS, Goal, table},
    line,
    line::Line,
    tables::Tables,
};

const TWO: [&str; 2] = [
    "goal = 'append'\nexperiment = 'append'\nconditions = 'n=512'\nfigure = 'us'\n\
        limit = 'limit_us'\nunit = 'ms'\naccepted = 'at most 1'\ntimes = 1.5\n\
        published = 'code 744 ms'",
    "goal = 'bytes'\nexperiment = 'bytes'\nfigure = 'bytes'\naccepted = 'exactly 688'",
];

fn shown(line: Line) -> String {
    let goals: [Goal; 2] = TWO.map(|goal| basic_toml::from_str(goal).unwrap());
    let mut tables = Tables::default();
    table(&goals, "", |_, _| None, &[line], &mut tables);
    tables.to_string()
}

#[test]
fn goals_are_met_or_missed() {
    let append = |us: f64, limit_us: f64| {
        shown(line! { experiment: "append", n: 512, us: us, limit_us: limit_us })
    };
    let met = append(900.0, 700.0);
    assert!(met.contains("| yes |"), "{met}");
    assert!(
        met.contains("Goals without a figure in these measurements: bytes."),
        "{met}"
    );
    assert!(append(1_100.0, 1_000.0).contains("MISSED"));
    assert!(append(900.0, 500.0).contains("MISSED"));
    let bytes = |bytes: u64| shown(line! { experiment: "bytes", bytes: bytes });
    assert!(bytes(688).contains("| yes |"), "{}", bytes(688));
    assert!(bytes(687).contains("MISSED"));
}

#[test]
fn every_row_has_a_family_and_a_range_that_is_read() {
    let numbers = [-1.0, 0.0, 1.0, 10.0, 1e3, 1e6, 1e9];
    for (family, goals) in GOALS.iter() {
        let families = FAMILIES.iter().filter(|it| it.id == family);
        assert_eq!(families.count(), 1, "{family}");
        assert!(!goals.is_empty(), "{family}");
    }
    for goal in GOALS.values().flatten() {
        if goal.accepted.is_empty() {
            continue;
        }
        let last = goal.accepted.rsplit(' ').next();
        let last = last.and_then(|text| text.parse().ok()).unwrap();
        assert!(goal.accepts(last), "{goal:?}");
        let refused = numbers.iter().any(|number| !goal.accepts(*number));
        assert!(refused, "{goal:?}");
    }
}
