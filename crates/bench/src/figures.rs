//! Plots of a run's lines, as SVG.

use std::path::{Path, PathBuf};

use plotters::{
    chart::{ChartBuilder, SeriesLabelPosition},
    coord::Shift,
    drawing::{DrawingArea, IntoDrawingArea},
    element::{Circle, Rectangle},
    prelude::{BLACK, Color, IntoLogRange, Palette, Palette99, SVGBackend, WHITE},
    series::LineSeries,
};

use crate::{
    Outcome, aad, costs, directory,
    line::{Line, groups, of},
    paper,
    tree::table::LOOKUPS_PER_UPDATE,
};

/// Draws what the lines of `tree`, `tuple`, `aad` and `directory` allow into a folder, and returns the files.
pub fn draw(lines: &[Line], folder: &Path) -> Outcome<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let (growing, steady) = (of(lines, "growing"), of(lines, "steady_state"));
    let mut files = Vec::new();
    for (name, bars) in [
        ("table3", schemes(&growing)),
        ("table4", repositories(&growing)),
    ] {
        if !bars.rows.is_empty() {
            let file = folder.join(name).with_extension("svg");
            bars.draw(&file)?;
            files.push(file);
        }
    }
    let mut figures = vec![
        ("figure5".to_owned(), steady_states(&steady)),
        ("figure6".to_owned(), lookup_costs(&growing)),
    ];
    for group in groups(&of(lines, "tuple_lookup_costs"), &["figure"]) {
        figures.push((group[0].text("figure").to_owned(), costs_of(&group)));
    }
    figures.extend(aad::plots::plots(lines));
    figures.extend(directory::plots::plots(lines));
    for (name, lines) in figures {
        if !lines.series.is_empty() {
            let file = folder.join(format!("{name}.svg"));
            lines.draw(&file)?;
            files.push(file);
        }
    }
    Ok(files)
}

/// Lines over two logarithmic axes.
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) horizontal: &'static str,
    pub(crate) vertical: &'static str,
    /// Names and points.
    pub(crate) series: Vec<(String, Vec<(f64, f64)>)>,
    /// Where the names stand.
    pub(crate) legend: SeriesLabelPosition,
    /// Whether the vertical axis is longer by the height of the names, which stand at its upper or lower end.
    pub(crate) has_room: bool,
}

/// Pairs of bars: ours, and those of 2010.
struct Bars {
    title: &'static str,
    vertical: &'static str,
    rows: Vec<(String, f64, f64)>,
}

/// The lines of red-black trees, all under the suite of the first line.
fn red_black<'a>(lines: &[&'a Line]) -> Vec<&'a Line> {
    let is_drawn =
        |line: &&&Line| line.text("scheme") == "red-black" && line.agrees(lines[0], &["suite"]);
    lines.iter().filter(is_drawn).copied().collect()
}

fn schemes(growing: &[&Line]) -> Bars {
    let comparable = growing.iter().filter(|line| {
        line.count("keys") == paper::KEYS && line.text("repository") == "path-copying"
    });
    let rows = comparable.filter_map(|line| {
        let theirs = paper::SCHEMES.get(line.text("scheme"), "proof_kilobytes")?;
        let name = format!("{} {}", line.text("scheme"), line.text("suite"));
        Some((name, line.figure("proof_bytes") / 1e3, theirs))
    });
    Bars {
        title: "Table 3: proof size at 100 000 keys",
        vertical: "KB (left: ours, right: 2010)",
        rows: rows.collect(),
    }
}

fn repositories(growing: &[&Line]) -> Bars {
    let comparable = red_black(growing).into_iter();
    let comparable = comparable.filter(|line| line.count("keys") == paper::KEYS);
    let rows = comparable.filter_map(|line| {
        let repository = line.text("repository");
        let megabytes = paper::REPOSITORIES.get(repository, "megabytes")?;
        let ours = line.figure("resident_bytes_per_version") / 1e3;
        Some((
            repository.to_owned(),
            ours,
            megabytes * 1e3 / paper::KEYS as f64,
        ))
    });
    Bars {
        title: "Table 4: memory per version, red-black, 100 000 keys",
        vertical: "KB (left: ours, right: 2010, whole process)",
        rows: rows.collect(),
    }
}

fn steady_states(steady: &[&Line]) -> Lines {
    let series = groups(&red_black(steady), &["repository"]).into_iter();
    let series = series.map(|group| {
        let point = |line: &&Line| {
            (
                line.figure("keys"),
                1e6 / line.figure("prove_us_random_version"),
            )
        };
        let mut points: Vec<(f64, f64)> = group.iter().map(point).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        (group[0].text("repository").to_owned(), points)
    });
    Lines {
        title: "Figure 5: proofs of random versions, red-black, steady state".to_owned(),
        horizontal: "keys",
        vertical: "proofs per second",
        series: series.collect(),
        legend: SeriesLabelPosition::LowerLeft,
        has_room: false,
    }
}

fn lookup_costs(growing: &[&Line]) -> Lines {
    let drawn = red_black(growing)
        .into_iter()
        .filter(|line| ["cache-everywhere", "cache-median"].contains(&line.text("repository")));
    let series = drawn.map(|line| {
        let cost = |ratio| (ratio, costs::per_lookup(line, ratio) * 1e6);
        let name = format!("{}, {} keys", line.text("repository"), line.count("keys"));
        (name, LOOKUPS_PER_UPDATE.map(cost).to_vec())
    });
    Lines {
        title: "Figure 6: cost per look-up, red-black, prices of 2010".to_owned(),
        horizontal: "look-ups per update",
        vertical: "micro-dollars per look-up",
        series: series.collect(),
        legend: SeriesLabelPosition::LowerLeft,
        has_room: false,
    }
}

/// One of figures 7 and 8.
fn costs_of(group: &[&Line]) -> Lines {
    let series = group.iter().map(|line| {
        let points = line.get("points").cloned().unwrap_or_default();
        let points = serde_json::from_value(points).unwrap_or_default();
        (line.text("design").to_owned(), points)
    });
    Lines {
        title: format!("{}: cost per look-up", group[0].text("figure")),
        horizontal: "look-ups per update",
        vertical: "micro-dollars per look-up",
        series: series.collect(),
        legend: SeriesLabelPosition::LowerLeft,
        has_room: false,
    }
}

/// A white drawing area of one file.
fn area(file: &Path) -> Outcome<DrawingArea<SVGBackend<'_>, Shift>> {
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    Ok(area)
}

impl Lines {
    fn draw(&self, file: &Path) -> Outcome<()> {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let (left, right) = bounds(points().map(|point| point.0));
        let (bottom, top) = self.vertical_bounds();
        let area = area(file)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title.as_str(), ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(45)
            .y_label_area_size(80)
            .build_cartesian_2d(
                (left / 1.2..right * 1.2).log_scale(),
                (bottom..top).log_scale(),
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
            .position(self.legend.clone())
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        Ok(area.present()?)
    }
}

impl Lines {
    /// The ends of the vertical axis.
    fn vertical_bounds(&self) -> (f64, f64) {
        let points = self.series.iter().flat_map(|(_, points)| points);
        let (bottom, top) = bounds(points.map(|point| point.1));
        let (bottom, top) = (bottom / 2.0, top * 2.0);
        // The names' share of the height of the plot.
        let names = 0.05 + 0.037 * self.series.len() as f64;
        let room = (top / bottom).powf(names / (1.0 - names));
        match self.legend {
            _ if !self.has_room => (bottom, top),
            SeriesLabelPosition::LowerLeft
            | SeriesLabelPosition::LowerMiddle
            | SeriesLabelPosition::LowerRight => (bottom / room, top),
            _ => (bottom, top * room),
        }
    }
}

impl Bars {
    fn draw(&self, file: &Path) -> Outcome<()> {
        let top = self
            .rows
            .iter()
            .fold(0.0, |top: f64, row| top.max(row.1).max(row.2));
        let area = area(file)?;
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
