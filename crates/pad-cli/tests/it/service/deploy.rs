//! Runs the services of `deploy/compose.yaml` as processes. Compares the metrics that dashboard and
//! alerts name with those of the processes.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use pad_web::client::HttpOptions;
use serde_json::Value as Json;

use super::process::Process;
use crate::{
    bench::{Bench, Outcome as _},
    process::{free_address, metrics, until},
};

const COMPOSE: &str = include_str!("../../../../../deploy/compose.yaml");
const DASHBOARD: &str = include_str!("../../../../../deploy/grafana-dashboard.json");
const DOCKERFILE: &str = include_str!("../../../../../deploy/Dockerfile");
const PROMETHEUS: &str = include_str!("../../../../../deploy/prometheus.yml");
const README: &str = include_str!("../../../../../deploy/README.md");
const RULES: &str = include_str!("../../../../../deploy/rules.yml");

/// Services of `compose.yaml` in the order in which they start. The author is no server.
const SERVICES: [&str; 6] = [
    "witness", "server-1", "server-2", "author", "mirror", "router",
];

/// Returns the command of each service whose command is one line.
fn services() -> BTreeMap<&'static str, &'static str> {
    let mut found = BTreeMap::new();
    let mut service = "";
    for line in COMPOSE.lines() {
        let key = line
            .strip_prefix("  ")
            .and_then(|key| key.strip_suffix(':'));
        service = key.filter(|key| !key.starts_with(' ')).unwrap_or(service);
        if let Some(command) = line.strip_prefix("    command: ") {
            found.insert(service, command);
        }
    }
    found
}

/// Returns the script of the service `setup`.
fn setup() -> String {
    let script = COMPOSE.split_once("      - |\n").unwrap().1;
    let script = script.split_once("\n\n").unwrap().0;
    script.replace("\n        ", "\n").replace("$$", "$")
}

/// Processes on this machine with the commands of the services in `compose.yaml`.
struct Trial {
    bench: Bench,
    addresses: BTreeMap<&'static str, String>,
    processes: BTreeMap<&'static str, Process>,
}

impl Trial {
    /// Runs `setup` and `author`, and starts the other services.
    fn start() -> Self {
        let servers = SERVICES.iter().filter(|service| **service != "author");
        let mut trial = Self {
            bench: Bench::new(),
            addresses: servers.map(|service| (*service, free_address())).collect(),
            processes: BTreeMap::new(),
        };
        trial.set_up();
        let commands = services();
        assert!(commands.keys().eq(BTreeSet::from(SERVICES).iter()));
        for service in SERVICES {
            let command = trial.here(commands[service]);
            let Some(address) = trial.addresses.get(service) else {
                trial.bench.ok(&command);
                continue;
            };
            let command = command.replace("0.0.0.0:7440", address);
            let process = Process::spawn(&trial.bench, command.split(' '));
            trial.processes.insert(service, process);
        }
        trial
    }

    fn set_up(&self) {
        for volume in [
            "author", "public", "server-1", "server-2", "mirror", "witness",
        ] {
            std::fs::create_dir(self.bench.path(volume)).unwrap();
        }
        let script = format!("chown() {{ :; }}\n{}", self.here(&setup()));
        self.bench.write("setup.sh", script.as_bytes());
        self.bench.shell("sh -e setup.sh").succeeds();
    }

    /// Replaces the names of services by addresses, and the volumes by folders of the bench.
    fn here(&self, command: &str) -> String {
        let mut command = command.to_owned();
        for (service, address) in &self.addresses {
            command = command.replace(&format!("{service}:7440"), address);
        }
        command.replace(" /", " ")
    }

    /// Runs the author's commands in the README, and waits until the mirror has the new version.
    fn follow_readme(&self) {
        let prefix = "$ docker compose --file deploy/compose.yaml run --rm author ";
        let commands = README.lines().filter_map(|line| line.strip_prefix(prefix));
        let commands: Vec<_> = commands.map(|command| self.here(command)).collect();
        assert!(commands.len() >= 4);
        for command in &commands {
            if command.starts_with("get ") {
                // The router may not know the version yet, or the witness may not have cosigned it.
                until(command, || self.bench.run(command).status.success());
            } else {
                self.bench.ok(command);
            }
        }
        let get = "get --server http://mirror:7440 --public /public/author.key.pub pear";
        let get = self.here(get);
        let printed = || self.bench.run(&get).stdout;
        until(&get, || printed().starts_with(b"present  pear = 5 "));
    }

    /// Returns the names of all metrics, with the suffixes of histograms.
    fn metrics(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for address in self.addresses.values() {
            let metrics = metrics(&format!("http://{address}"), HttpOptions::default());
            let lines = metrics.lines();
            let found = lines.filter_map(|line| match line.split_once("# TYPE ") {
                Some((_, line)) => line.split(' ').next(),
                None => line.split(['{', ' ']).next(),
            });
            names.extend(found.map(str::to_owned));
        }
        names
    }

    /// Runs the health check of the image for a service.
    fn is_healthy(&self, service: &str) -> bool {
        let mut lines = DOCKERFILE.lines();
        let check = lines.find(|line| line.starts_with("HEALTHCHECK "));
        let (_, words) = check.unwrap().split_once(" CMD ").unwrap();
        let words: Vec<String> = serde_json::from_str(words).unwrap();
        let address = self.addresses[service].replace(':', "/");
        let words = words.iter();
        let words = words.map(|word| word.replace("127.0.0.1/7440", &address));
        let words: Vec<_> = words.collect();
        let mut check = Command::new(&words[0]);
        check.args(&words[1..]).output().unwrap().status.success()
    }
}

/// Returns the words of a text that begin with `pad_`.
fn metrics_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(move |letter| !is_part(letter))
        .filter(|word| word.starts_with("pad_"))
}

#[test]
fn the_services_run_with_the_metrics_of_dashboard_and_alerts() {
    let mut trial = Trial::start();
    trial.follow_readme();
    let named: BTreeSet<_> = metrics_in(DASHBOARD).chain(metrics_in(RULES)).collect();
    assert!(named.len() >= 20, "{named:?}");
    for name in named {
        // A mirror reports an upstream only after the first request to it.
        until(name, || trial.metrics().contains(name));
    }
    for service in trial.addresses.keys() {
        assert!(trial.is_healthy(service), "{service}");
    }
    for server in ["server-1", "server-2"] {
        trial.processes.remove(server);
        assert!(!trial.is_healthy(server), "{server}");
    }
    until("the router is unhealthy", || !trial.is_healthy("router"));
}

#[test]
fn prometheus_asks_the_services() {
    let (_, targets) = PROMETHEUS.split_once("targets: ").unwrap();
    let targets: Vec<String> = serde_json::from_str(targets.trim_end()).unwrap();
    let targets: BTreeSet<_> = targets.iter().map(String::as_str).collect();
    let services = SERVICES.iter().filter(|service| **service != "author");
    let services: BTreeSet<_> = services.map(|name| format!("{name}:7440")).collect();
    assert!(services.iter().eq(&targets), "{targets:?}");
    let (_, job) = PROMETHEUS.split_once("job_name: ").unwrap();
    let job = job.lines().next().unwrap();
    assert!(RULES.contains(&format!("up{{job=\"{job}\"}}")));
}

#[test]
fn the_dashboard_s_panels_use_the_chosen_data_source() {
    let dashboard: Json = serde_json::from_str(DASHBOARD).unwrap();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    assert_eq!(variables[0]["name"], "datasource");
    assert_eq!(variables[0]["query"], "prometheus");
    let panels = dashboard["panels"].as_array().unwrap();
    let mut numbers = BTreeSet::new();
    for panel in panels {
        assert!(numbers.insert(panel["id"].as_u64().unwrap()), "{panel}");
        for target in panel["targets"].as_array().unwrap().iter().chain([panel]) {
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{panel}");
        }
    }
}

#[test]
fn the_image_is_built_with_the_toolchain_of_the_workspace() {
    let toolchain = include_str!("../../../../../rust-toolchain.toml");
    let (_, version) = toolchain.split_once("channel = \"").unwrap();
    let version = version.split_once('"').unwrap().0;
    for line in [
        format!("FROM rust:{version}-"),
        format!("ENV RUSTUP_TOOLCHAIN={version}\n"),
    ] {
        assert!(DOCKERFILE.contains(&line), "{line}");
    }
}
