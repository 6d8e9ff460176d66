//! Tests of `bench::goals`.

use bench::{
    families::FAMILIES,
    goals::{GOALS, goals, table_of},
    line,
    line::Line,
    tables::Tables,
};

const TWO: &str = "\
family,goal,experiment,conditions,figure,limit,unit,accepted,times,published
x,append,append,n=512,us,limit_us,ms,at most 1,1.5,code 744 ms
x,bytes,bytes,,bytes,,,exactly 688,,
";

fn shown(line: Line) -> String {
    let mut tables = Tables::default();
    table_of(TWO, ("x", ""), |_, _| None, &[line], &mut tables);
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
    assert_eq!(GOALS.lines().next(), TWO.lines().next());
    assert_eq!(goals(GOALS).count() + 1, GOALS.lines().count());
    let numbers = [-1.0, 0.0, 1.0, 10.0, 1e3, 1e6, 1e9];
    for goal in goals(GOALS) {
        let families = FAMILIES.iter().filter(|family| family.id == goal.family);
        assert_eq!(families.count(), 1, "{goal:?}");
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
