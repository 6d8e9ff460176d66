//! Checks that `openapi.json` agrees with the router.

use std::{collections::BTreeSet, fs, path::Path};

use pad_client::internals::Resource;
use pad_service::internals::{ROUTES, WITNESS_ROUTES};
use serde_json::Value;

use crate::{fixture::*, serve::raw};

pub(crate) fn description() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns the name, method and path of every route.
fn routed() -> BTreeSet<(String, String, String)> {
    let got = Resource::TEMPLATES.iter().map(|(name, template)| {
        let path = format!("/v1/dictionaries/{{name}}/{template}");
        ((*name).to_owned(), "get".to_owned(), path)
    });
    let others = ROUTES
        .iter()
        .chain(&WITNESS_ROUTES)
        .map(|(name, method, path)| ((*name).to_owned(), (*method).to_owned(), (*path).to_owned()));
    got.chain(others).collect()
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let description = description();
    assert!(description["openapi"].as_str().unwrap().starts_with("3.1."));
    let mut described = BTreeSet::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            if method == "parameters" {
                continue;
            }
            let name = operation["operationId"].as_str().unwrap().to_owned();
            described.insert((name, method.clone(), path.clone()));
            // Every name in braces in a path must be a parameter.
            let parameters = operations["parameters"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let names: BTreeSet<_> = parameters
                .iter()
                .map(|parameter| {
                    let reference = parameter["$ref"].as_str().unwrap();
                    let place = reference.strip_prefix('#').unwrap();
                    description.pointer(place).unwrap()["name"]
                        .as_str()
                        .unwrap()
                        .to_owned()
                })
                .collect();
            let wanted: BTreeSet<_> = path
                .split('{')
                .skip(1)
                .map(|rest| rest.split('}').next().unwrap().to_owned())
                .collect();
            assert_eq!(names, wanted, "{path}");
        }
    }
    assert_eq!(described, routed());
}

#[test]
fn described_statuses_and_types_are_what_is_answered() {
    let author = Author::of_tree();
    three_versions(&author);
    let server = start(service(&author.path("s.pad")));
    let description = description();
    let (one, three) = (authdict::Version::new(1), authdict::Version::new(3));
    let key = authdict::Key::try_from("apple").unwrap();
    let resources = [
        Resource::Public,
        Resource::Head,
        Resource::Versions,
        Resource::HeadOf(three),
        Resource::Heads(one, three),
        Resource::Answer(three, about("apple")),
        Resource::Page(three, authdict::KeyRange::ALL),
        Resource::History(key.clone()),
        Resource::Consistency(one, three),
        Resource::Growth(one, three),
        Resource::Past(one, three),
        Resource::Update(three),
        Resource::Updates(one, three),
        Resource::Notes(one, three),
        Resource::Named("nothing".into()),
        Resource::File("nothing".into()),
        Resource::Value(Some(one), key),
    ];
    let paths = resources.iter().map(|resource| {
        (
            resource.name(),
            format!("/v1/dictionaries/s/{}", resource.path()),
        )
    });
    let own = [
        ("index", "/"),
        ("health", "/health"),
        ("metrics", "/metrics"),
        ("openapi", "/openapi.json"),
        ("list", "/v1/dictionaries"),
    ];
    let paths = paths.chain(own.map(|(name, path)| (name, path.to_owned())));
    for (name, path) in paths {
        let reply = raw(&server, &path, None);
        let (_, method, template) = routed()
            .into_iter()
            .find(|(found, ..)| found == name)
            .unwrap();
        let operation = &description["paths"][&template][&method];
        let status = reply.status.as_u16().to_string();
        let mut response = &operation["responses"][&status];
        if let Some(reference) = response["$ref"].as_str() {
            response = description
                .pointer(reference.strip_prefix('#').unwrap())
                .unwrap();
        }
        let content_type = reply.headers["content-type"].to_str().unwrap();
        let kind = content_type.split(';').next().unwrap();
        assert!(
            response["content"][kind].is_object(),
            "{path}: {status} {kind}: {response}"
        );
    }
    stop(server);
}
