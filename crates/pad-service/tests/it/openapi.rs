//! Checks that `openapi.json` agrees with the router.

use std::{collections::BTreeSet, fs, path::Path};

use pad_client::internals::Resource;
use pad_service::internals::{ROUTES, WITNESS_ROUTES};
use serde_json::Value;

use crate::{
    fixture::*,
    serve::{path_of, raw},
};

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

/// Returns the object to which another object refers.
fn referenced<'d>(description: &'d Value, object: &Value) -> Option<&'d Value> {
    let place = object["$ref"].as_str()?.strip_prefix('#').unwrap();
    Some(description.pointer(place).unwrap())
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
            let parameters = operations["parameters"].as_array().into_iter().flatten();
            let names = parameters.map(|parameter| {
                let name = &referenced(&description, parameter).unwrap()["name"];
                name.as_str().unwrap()
            });
            let wanted = path.split('{').skip(1);
            let wanted: BTreeSet<_> = wanted.map(|rest| rest.split('}').next().unwrap()).collect();
            assert_eq!(names.collect::<BTreeSet<_>>(), wanted, "{path}");
        }
    }
    assert_eq!(described, routed());
}

#[test]
fn described_statuses_and_types_are_what_is_answered() {
    let author = Author::of_three_versions();
    let server = author.serve();
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
    let paths = resources.iter();
    let paths = paths.map(|resource| (resource.name(), path_of(resource)));
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
        let mut routes = routed().into_iter();
        let (_, method, template) = routes.find(|(found, ..)| found == name).unwrap();
        let operation = &description["paths"][&template][&method];
        let status = reply.status.as_str();
        let response = &operation["responses"][status];
        let response = referenced(&description, response).unwrap_or(response);
        let content_type = reply.headers["content-type"].to_str().unwrap();
        let kind = content_type.split(';').next().unwrap();
        let is_described = response["content"][kind].is_object();
        assert!(is_described, "{path}: {status} {kind}: {response}");
    }
}
