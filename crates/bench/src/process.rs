//! One process per measurement, so that memory is that of one repository and nothing else.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clap::{Args, Subcommand};
use pad_core::Suite;
use pad_tree::{Authenticated, VersionedStore};
use serde::de::DeserializeOwned;

use crate::{
    Outcome, author,
    configuration::{Configuration, Job},
    machine::Machine,
    record::{AuthorPass, ServerFigures, TreeRecord},
    server,
    timing::{Effort, rounded},
    workload::{Experiment, Workload},
};

/// What a measuring process is told.
#[derive(Clone, Debug, Args)]
pub struct Order {
    /// The microbenchmark.
    #[arg(long)]
    experiment: Experiment,
    /// The number of keys.
    #[arg(long)]
    keys: u64,
    /// The number of snapshots after the first, in steady state.
    #[arg(long, default_value_t = 0)]
    snapshots: u64,
    /// The balancing scheme.
    #[arg(long)]
    scheme: String,
    /// The repository's strategy.
    #[arg(long)]
    repository: String,
    /// The suite.
    #[arg(long)]
    suite: String,
    /// The folder in which author and servers exchange files.
    #[arg(long)]
    folder: PathBuf,
    /// Measure little.
    #[arg(long)]
    quick: bool,
}

/// The two kinds of measuring processes.
#[derive(Clone, Debug, Subcommand)]
pub enum Role {
    /// Writes the updates, and prints an [`AuthorPass`].
    Author(Order),
    /// Applies them, and prints [`ServerFigures`].
    Server(Order),
}

impl Order {
    /// The order to measure a workload in a configuration.
    pub fn new(
        workload: &Workload,
        configuration: &Configuration,
        folder: &Path,
        quick: bool,
    ) -> Self {
        let Configuration {
            scheme,
            repository,
            suite,
        } = configuration.clone();
        Self {
            experiment: workload.experiment(),
            keys: workload.keys(),
            snapshots: workload.versions() - workload.fill(),
            scheme,
            repository,
            suite,
            folder: folder.to_owned(),
            quick,
        }
    }

    fn workload(&self) -> Workload {
        match self.experiment {
            Experiment::Growing => Workload::growing(self.keys),
            Experiment::SteadyState => Workload::steady_state(self.keys, self.snapshots),
        }
    }

    fn configuration(&self) -> Configuration {
        Configuration {
            scheme: self.scheme.clone(),
            repository: self.repository.clone(),
            suite: self.suite.clone(),
        }
    }

    fn updates(&self) -> PathBuf {
        self.folder.join("updates")
    }

    fn author_pass(&self) -> PathBuf {
        self.folder.join("author.json")
    }

    /// Starts a process with this order and waits for what it prints.
    fn send<T: DeserializeOwned>(&self, role: &str) -> Outcome<T> {
        let mut command = Command::new(env::current_exe()?);
        command.args(["measure", role, "--experiment"]);
        command.arg(
            clap::ValueEnum::to_possible_value(&self.experiment)
                .map_or_else(String::new, |value| value.get_name().to_owned()),
        );
        for (name, number) in [("--keys", self.keys), ("--snapshots", self.snapshots)] {
            command.arg(name).arg(number.to_string());
        }
        command.args(["--scheme", &self.scheme, "--repository", &self.repository]);
        command
            .args(["--suite", &self.suite])
            .arg("--folder")
            .arg(&self.folder);
        if self.quick {
            command.arg("--quick");
        }
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("measuring {role} {self:?} failed: {}", output.status).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Measures an author; its updates stay in the folder.
    ///
    /// # Errors
    /// If the process fails.
    pub fn measure_author(&self) -> Outcome<AuthorPass> {
        let pass = self.send("author")?;
        std::fs::write(self.author_pass(), serde_json::to_vec(&pass)?)?;
        Ok(pass)
    }

    /// Measures a server of the updates in the folder, and puts everything together.
    ///
    /// # Errors
    /// If the process fails.
    pub fn measure_server(&self, author: &AuthorPass, machine: &Machine) -> Outcome<TreeRecord> {
        let server: ServerFigures = self.send("server")?;
        let author = author.figures;
        let kilobytes_per_second = |bytes: f64, us: f64| rounded(bytes * 1e3 / us);
        let update_us = author.insert_snapshot_us + server.apply_us;
        Ok(TreeRecord {
            experiment: self.experiment,
            scheme: self.scheme.clone(),
            repository: self.repository.clone(),
            suite: self.suite.clone(),
            keys: self.keys,
            versions: self.workload().versions(),
            threads: 1,
            author,
            server,
            lookup_kilobytes_per_second: kilobytes_per_second(
                server.proof_bytes,
                server.prove_us_random_version,
            ),
            update_kilobytes_per_second: kilobytes_per_second(author.update_bytes, update_us),
            machine: machine.clone(),
        })
    }
}

impl Role {
    /// Follows the order, as the process that was started for it.
    ///
    /// # Errors
    /// Whatever the measurement fails with.
    pub fn follow(&self) -> Outcome<()> {
        let (order, json) = match self {
            Self::Author(order) => (order, order.configuration().run(AuthorJob(order))),
            Self::Server(order) => (order, order.configuration().run(ServerJob(order))),
        };
        let json = json.ok_or_else(|| format!("unknown {:?}", order.configuration()))??;
        println!("{json}");
        Ok(())
    }
}

struct AuthorJob<'a>(&'a Order);

impl Job for AuthorJob<'_> {
    type Output = Outcome<String>;

    fn run<S: Suite, St>(self) -> Outcome<String>
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    {
        let (workload, effort) = (self.0.workload(), Effort::new(self.0.quick));
        let pass = author::measure::<S, St::Scheme>(&workload, &effort, &self.0.updates())?;
        Ok(serde_json::to_string(&pass)?)
    }
}

struct ServerJob<'a>(&'a Order);

impl Job for ServerJob<'_> {
    type Output = Outcome<String>;

    fn run<S: Suite, St>(self) -> Outcome<String>
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    {
        let (workload, effort) = (self.0.workload(), Effort::new(self.0.quick));
        let pass: AuthorPass = serde_json::from_slice(&std::fs::read(self.0.author_pass())?)?;
        let figures = server::measure::<S, St>(&workload, &effort, &self.0.updates(), &pass)?;
        Ok(serde_json::to_string(&figures)?)
    }
}
