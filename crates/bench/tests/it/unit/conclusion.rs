//! Tests of `bench::tuple::conclusion`.

use bench::{
    costs, line,
    line::Line,
    tuple::{
        conclusion::{CLAIM, lines},
        costs::Expense,
    },
};

fn design(name: &str, lookup: f64, update: f64) -> Expense {
    let line = line! { figure: "figure7", design: name, keys: 1 };
    let line = line
        .and("update_microdollars", update)
        .and("lookup_microdollars", lookup);
    Expense::read(&line.merged(&costs::line_of(&costs::of_2010()))).unwrap()
}

/// The result line that concludes, if there is one.
fn conclusion(family: &str, designs: &[Expense]) -> Option<Line> {
    let mut lines = lines(family, designs).into_iter();
    lines.find(|line| line.text("claim") == CLAIM)
}

#[test]
fn conclusions_follow_from_the_costs() {
    let mut designs = vec![
        design("tree", 2.0, 10.0),
        design("signed", 1.0, 1_010.0),
        design("accumulators-rsa", 3.0, 1e5),
    ];
    let concluded = |designs: &[Expense]| {
        let line = conclusion("tuple", designs).unwrap();
        (line.get("holds").cloned(), line.text("sentence").to_owned())
    };
    let (holds, sentence) = concluded(&designs);
    assert_eq!(holds, Some(true.into()));
    assert!(
        sentence.contains("the nearest, accumulators-rsa, costs 3.01"),
        "{sentence}"
    );
    // Tree and signatures cost the same, 2.01, at 1000; this costs 1.5 + 0.4 there.
    designs.push(design("accumulators-bilinear", 1.5, 400.0));
    let (holds, sentence) = concluded(&designs);
    assert_eq!(holds, Some(false.into()));
    let expected = "accumulators-bilinear from 780.0 to 1220 look-ups per update; by 5.5 % at \
        most, at 1000.";
    assert!(sentence.ends_with(expected), "{sentence}");
    assert!(conclusion("tuple", &designs[..1]).is_none());
}
