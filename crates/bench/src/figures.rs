//! Plots of a run's records, as SVG.

use std::path::{Path, PathBuf};

use plotters::{
    chart::{ChartBuilder, SeriesLabelPosition},
    drawing::IntoDrawingArea,
    element::{Circle, Rectangle},
    prelude::{BLACK, Color, IntoLogRange, Palette, Palette99, SVGBackend, WHITE},
    series::LineSeries,
};

use crate::{
    Outcome, costs, paper, record::TreeRecord, tables::LOOKUPS_PER_UPDATE, tuple::TupleLine,
    workload::Experiment,
};

/// Draws what the records allow into a folder, and returns the files.
///
/// # Errors
/// If a file cannot be written.
pub fn draw(records: &[TreeRecord], folder: &Path) -> Outcome<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let figures = [
        ("table3.svg", schemes(records)),
        ("table4.svg", repositories(records)),
        ("figure5.svg", steady_states(records)),
        ("figure6.svg", lookup_costs(records)),
    ];
    let mut files = Vec::new();
    for (name, figure) in figures {
        let file = folder.join(name);
        match figure {
            Figure::Lines(lines) if !lines.series.is_empty() => lines.draw(&file)?,
            Figure::Bars(bars) if !bars.rows.is_empty() => bars.draw(&file)?,
            Figure::Lines(_) | Figure::Bars(_) => continue,
        }
        files.push(file);
    }
    Ok(files)
}

/// Draws what the lines of `tuple` say look-ups cost, one file for each figure, and returns the files.
///
/// # Errors
/// If a file cannot be written.
pub fn draw_tuples(lines: &[TupleLine], folder: &Path) -> Outcome<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut figures: Vec<(String, Lines)> = Vec::new();
    for line in lines {
        let TupleLine::Costs(record) = line else {
            continue;
        };
        let series = (record.design.clone(), record.points.clone());
        let known = figures.iter_mut().find(|(name, _)| *name == record.figure);
        if let Some((_, lines)) = known {
            lines.series.push(series);
        } else {
            let lines = Lines {
                title: format!("{}: cost per look-up", record.figure),
                horizontal: "look-ups per update",
                vertical: "micro-dollars per look-up",
                series: vec![series],
            };
            figures.push((record.figure.clone(), lines));
        }
    }
    let draw = |(name, lines): (String, Lines)| {
        let file = folder.join(format!("{name}.svg"));
        lines.draw(&file).map(|()| file)
    };
    figures.into_iter().map(draw).collect()
}

/// One file.
enum Figure {
    Lines(Lines),
    Bars(Bars),
}

/// Lines over two logarithmic axes.
struct Lines {
    title: String,
    horizontal: &'static str,
    vertical: &'static str,
    series: Vec<(String, Vec<(f64, f64)>)>,
}

/// Pairs of bars: ours, and those of 2010.
struct Bars {
    title: &'static str,
    vertical: &'static str,
    rows: Vec<(String, f64, f64)>,
}

fn growing(records: &[TreeRecord]) -> impl Iterator<Item = &TreeRecord> {
    records
        .iter()
        .filter(|record| record.experiment == Experiment::Growing)
}

fn schemes(records: &[TreeRecord]) -> Figure {
    let comparable = growing(records)
        .filter(|record| record.keys == paper::KEYS && record.repository == "path-copying");
    let rows = comparable.filter_map(|record| {
        let row = paper::SCHEMES
            .iter()
            .find(|row| row.scheme == record.scheme)?;
        let name = format!("{} {}", record.scheme, record.suite);
        Some((name, record.server.proof_bytes / 1e3, row.proof_kilobytes))
    });
    Figure::Bars(Bars {
        title: "Table 3: proof size at 100 000 keys",
        vertical: "KB (left: ours, right: 2010)",
        rows: rows.collect(),
    })
}

fn repositories(records: &[TreeRecord]) -> Figure {
    let comparable = growing(records).filter(|record| {
        record.keys == paper::KEYS
            && record.scheme == "red-black"
            && record.suite == records[0].suite
    });
    let rows = comparable.filter_map(|record| {
        let row = paper::REPOSITORIES
            .iter()
            .find(|row| row.repository == record.repository)?;
        let kilobytes = row.megabytes * 1e3 / paper::KEYS as f64;
        Some((
            record.repository.clone(),
            record.server.resident_bytes_per_version / 1e3,
            kilobytes,
        ))
    });
    Figure::Bars(Bars {
        title: "Table 4: memory per version, red-black, 100 000 keys",
        vertical: "KB (left: ours, right: 2010, whole process)",
        rows: rows.collect(),
    })
}

fn steady_states(records: &[TreeRecord]) -> Figure {
    let mut series: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    let steady = records.iter().filter(|record| {
        record.experiment == Experiment::SteadyState
            && record.scheme == "red-black"
            && record.suite == records[0].suite
    });
    for record in steady {
        let point = (
            record.keys as f64,
            1e6 / record.server.prove_us_random_version,
        );
        match series
            .iter_mut()
            .find(|(name, _)| *name == record.repository)
        {
            Some((_, points)) => points.push(point),
            None => series.push((record.repository.clone(), vec![point])),
        }
    }
    for (_, points) in &mut series {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Figure::Lines(Lines {
        title: "Figure 5: proofs of random versions, red-black, steady state".to_owned(),
        horizontal: "keys",
        vertical: "proofs per second",
        series,
    })
}

fn lookup_costs(records: &[TreeRecord]) -> Figure {
    let drawn = growing(records).filter(|record| {
        record.scheme == "red-black"
            && ["cache-everywhere", "cache-median"].contains(&record.repository.as_str())
            && record.suite == records[0].suite
    });
    let series = drawn.map(|record| {
        let cost = |ratio| (ratio, costs::per_lookup(record, ratio) * 1e6);
        let points = LOOKUPS_PER_UPDATE.map(cost).to_vec();
        (
            format!("{}, {} keys", record.repository, record.keys),
            points,
        )
    });
    Figure::Lines(Lines {
        title: "Figure 6: cost per look-up, red-black, prices of 2010".to_owned(),
        horizontal: "look-ups per update",
        vertical: "micro-dollars per look-up",
        series: series.collect(),
    })
}

impl Lines {
    fn draw(&self, file: &Path) -> Outcome<()> {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let (left, right) = bounds(points().map(|point| point.0));
        let (bottom, top) = bounds(points().map(|point| point.1));
        let area = SVGBackend::new(file, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title.as_str(), ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(45)
            .y_label_area_size(80)
            .build_cartesian_2d(
                (left / 1.2..right * 1.2).log_scale(),
                (bottom / 2.0..top * 2.0).log_scale(),
            )?;
        let mesh = &mut chart.configure_mesh();
        mesh.x_desc(self.horizontal).y_desc(self.vertical).draw()?;
        for (index, (name, points)) in self.series.iter().enumerate() {
            let color = Palette99::pick(index).to_rgba();
            let line = LineSeries::new(points.iter().copied(), color.stroke_width(2));
            chart
                .draw_series(line)?
                .label(name.as_str())
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 4), (x + 16, y + 4)], color.filled())
                });
            let dots = points
                .iter()
                .map(|point| Circle::new(*point, 3, color.filled()));
            chart.draw_series(dots)?;
        }
        let labels = &mut chart.configure_series_labels();
        labels
            .position(SeriesLabelPosition::LowerLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        Ok(area.present()?)
    }
}

impl Bars {
    fn draw(&self, file: &Path) -> Outcome<()> {
        let top = self
            .rows
            .iter()
            .fold(0.0, |top: f64, row| top.max(row.1).max(row.2));
        let area = SVGBackend::new(file, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(45)
            .y_label_area_size(80)
            .build_cartesian_2d(-0.5..self.rows.len() as f64 - 0.5, 0.0..top * 1.1)?;
        let label = |place: &f64| {
            let row = (0..self.rows.len()).find(|row| (*row as f64 - place).abs() < 0.01);
            row.map_or_else(String::new, |row| self.rows[row].0.clone())
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(2 * self.rows.len() + 1)
            .x_label_formatter(&label)
            .y_desc(self.vertical)
            .draw()?;
        for (row, (_, ours, theirs)) in self.rows.iter().enumerate() {
            let place = row as f64;
            let bar = |from, to, height, color: usize| {
                let corners = [(place + from, 0.0), (place + to, height)];
                Rectangle::new(corners, Palette99::pick(color).filled())
            };
            chart.draw_series([bar(-0.35, 0.0, *ours, 0), bar(0.0, 0.35, *theirs, 7)])?;
        }
        Ok(area.present()?)
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Width and height of every plot, in pixels.
const SIZE: (u32, u32) = (860, 520);
