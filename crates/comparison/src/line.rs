//! Costs as straight lines, and the points at which another line becomes the lowest: computed, not
//! searched.
//!
//! With `r` lookups for each update, a lookup and its share of an update cost `lookup + update / r`
//! (figures 6 to 8). So `r` lookups and their update cost `update + r * lookup`. That is a straight
//! line, and two lines cross in at most one point.
//!
//! Source: Crosby & Wallach 2010, sections 6.3 and 7.3.

/// Cost that is linear in a number of repetitions: a fixed part, and a part for each repetition.
/// For example, an update is the fixed part, and each lookup is a repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostLine {
    /// Fixed part, such as the cost of an update.
    pub fixed: f64,
    /// Cost of each repetition, such as a lookup.
    pub each: f64,
}

impl CostLine {
    /// Returns the total cost of `times` repetitions and the fixed part.
    pub fn at(&self, times: f64) -> f64 {
        self.fixed + self.each * times
    }

    /// Returns the cost of one of `times` repetitions, with its share of the fixed part.
    pub fn per_time(&self, times: f64) -> f64 {
        self.each + self.fixed / times
    }

    /// Returns the positive number of repetitions at which both lines cost the same. `None` if one
    /// of them always costs less, or if they are equal.
    pub fn crossing(&self, other: &Self) -> Option<f64> {
        let times = (other.fixed - self.fixed) / (self.each - other.each);
        (times.is_finite() && times > 0.0).then_some(times)
    }
}

/// Range of numbers of repetitions in which one line costs least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lowest {
    /// Smallest number of repetitions of the range.
    pub from: f64,
    /// Largest number of repetitions of the range.
    pub to: f64,
    /// Index of the line that costs least in the range.
    pub line: usize,
}

/// Divides the range from `start` to `end` repetitions by the line that costs least. Ranges are in
/// ascending order; there are none if there are no lines.
///
/// Quadratic in the number of lines.
pub fn lowest(lines: &[CostLine], (start, end): (f64, f64)) -> Vec<Lowest> {
    let mut parts = Vec::new();
    let mut from = start;
    let first = |one: &(usize, CostLine), other: &(usize, CostLine)| {
        one.1.at(start).total_cmp(&other.1.at(start))
    };
    let numbered = || lines.iter().copied().enumerate();
    let mut current = numbered().min_by(first);
    while let Some((line, now)) = current {
        // Only a line with a smaller cost for each repetition can become the lowest. The first to
        // do so is next.
        let next = numbered()
            .filter(|(_, other)| other.each < now.each)
            .map(|(index, other)| {
                let at = (other.fixed - now.fixed) / (now.each - other.each);
                (at.max(from), (index, other))
            })
            .filter(|(at, _)| *at < end)
            .min_by(|one, other| one.0.total_cmp(&other.0));
        let to = next.map_or(end, |(at, _)| at);
        parts.push(Lowest { from, to, line });
        from = to;
        current = next.map(|(_, other)| other);
    }
    parts
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    const fn line(each: f64, fixed: f64) -> CostLine {
        CostLine { fixed, each }
    }

    #[test]
    fn lines_cross_where_they_cost_the_same() {
        let (few, many) = (line(5.0, 10.0), line(1.0, 10_000.0));
        // 5 r + 10 = r + 10 000.
        assert_eq!(few.crossing(&many), Some(2497.5));
        assert_eq!(many.crossing(&few), Some(2497.5));
        assert!((few.at(2497.5) - many.at(2497.5)).abs() < 1e-9);
        assert!((few.per_time(2.0) - 10.0).abs() < 1e-12);
        assert_eq!(few.crossing(&line(6.0, 11.0)), None);
        assert_eq!(few.crossing(&line(5.0, 11.0)), None);
        assert_eq!(few.crossing(&few), None);
    }

    #[test]
    fn the_lowest_changes_where_lines_cross() {
        let lines = [
            line(6.0, 2_000.0),
            line(1.0, 10_000.0),
            line(5.0, 10.0),
            line(2.0, 610.0),
        ];
        let parts = lowest(&lines, (1.0, 1e7));
        let shown: Vec<_> = parts.iter().map(|part| (part.line, part.from)).collect();
        assert_eq!(shown, [(2, 1.0), (3, 200.0), (1, 9390.0)]);
        assert!((parts[2].to - 1e7).abs() < 1.0);
        assert_eq!(lowest(&[], (1.0, 1e7)), []);
    }
}
