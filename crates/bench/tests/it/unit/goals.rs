//! Tests of `bench::goals`.

use bench::{families::FAMILIES, goals::table_of, line, line::Line, tables::Tables};

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

/// The goal of a row accepts a figure, in the unit of the table. `None` if the goal is not of
/// `family`.
fn accepts(goal: &[String], family: &str, figure: f64) -> Option<bool> {
    // The figure is computed, and has neither a unit nor a limit.
    let mut goal = goal.to_vec();
    for column in [EXPERIMENT, CONDITIONS, LIMIT, UNIT] {
        goal[column].clear();
    }
    let mut text = csv::Writer::from_writer(Vec::new());
    let titles = TWO.lines().next().unwrap().split(',');
    text.write_record(titles).unwrap();
    text.write_record(&goal).unwrap();
    let text = String::from_utf8(text.into_inner().unwrap()).unwrap();
    let lines = [line! {}.and("figure", figure)];
    let mut tables = Tables::default();
    let computed = |_: &str, lines: &[Line]| lines[0].number("figure");
    table_of(&text, (family, ""), computed, &lines, &mut tables);
    let shown = tables.to_string();
    let is_accepted = shown.contains("| yes");
    assert!(!is_accepted || !shown.contains("MISSED"), "{shown}");
    (is_accepted || shown.contains("MISSED")).then_some(is_accepted)
}

/// Columns of the file.
const EXPERIMENT: usize = 2;
const CONDITIONS: usize = 3;
const LIMIT: usize = 5;
const UNIT: usize = 6;
const ACCEPTED: usize = 7;

#[test]
fn every_row_has_a_family_and_a_range_that_is_read() {
    let all = include_str!("../../../src/goals.csv");
    assert_eq!(all.lines().next(), TWO.lines().next());
    let mut rows = csv::Reader::from_reader(all.as_bytes());
    let rows: Vec<Vec<String>> = rows.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len() + 1, all.lines().count());
    let numbers = [-1.0, 0.0, 1.0, 10.0, 1e3, 1e6, 1e9];
    for goal in rows {
        let of_families = |figure: f64| {
            let families = FAMILIES.iter();
            let accepted = families.filter_map(|family| accepts(&goal, family.id, figure));
            accepted.collect::<Vec<bool>>()
        };
        assert_eq!(of_families(1.0).len(), 1, "{goal:?}");
        if goal[ACCEPTED].is_empty() {
            continue;
        }
        let last = goal[ACCEPTED].rsplit(' ').next();
        let last = last.and_then(|text| text.parse().ok()).unwrap();
        assert_eq!(of_families(last), [true], "{goal:?}");
        let refused = numbers.iter().any(|number| of_families(*number) == [false]);
        assert!(refused, "{goal:?}");
    }
}
