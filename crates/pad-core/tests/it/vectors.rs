//! Golden vectors: the bytes of one message of each kind. Changing one of them changes the format.
//!
//! Inputs: `support.rs`. The author's seed is the bytes 0 to 31, and version `v` has the root
//! `digest(v)`.

use pad_core::{
    Blake3Ed25519, Contradiction, Equivocation, Key, Operation, Paper2010, Past, SignedHead, Suite,
    TrustedView, Update, Value,
    codec::{Message, decode, encode},
    internals::Testimony,
};

use crate::support::{Chain, S, authority, signed, version};

pub(crate) fn signed_head<S: Suite>() -> SignedHead<S> {
    signed(300, 1, 2)
}

pub(crate) fn update() -> Update<S> {
    let key = |text: &str| Key::try_from(text).unwrap();
    let operations = vec![
        Operation::Put(key("a"), Value::new(*b"one").unwrap()),
        Operation::Remove(key("b")),
        Operation::Put(key("c"), Value::default()),
    ];
    Update {
        base: version(299),
        operations,
        head: signed_head(),
        attachment: (),
    }
}

pub(crate) fn equivocation() -> Equivocation<S> {
    Equivocation {
        first: signed_head(),
        second: signed(300, 3, 2),
    }
}

/// Returns the evidence of a fork after version 2. It has a head of version 4, and a proof about
/// version 4 under a head of the fork.
pub(crate) fn contradiction() -> Contradiction<S> {
    let fork = Chain::new(2).continued(100, 6);
    Contradiction {
        version: version(4),
        first: Testimony {
            head: Chain::new(4).signed(4),
            past: Past::Own,
        },
        second: Testimony {
            head: fork.signed(6),
            past: Past::Root(fork.inclusion(4, 6)),
        },
    }
}

pub(crate) fn view() -> TrustedView<S> {
    let chain = Chain::new(2);
    let mut view = TrustedView::new(authority());
    view.advance(chain.head(2), None).unwrap();
    view
}

/// Asserts that `text` is the message's encoding. Blanks and line breaks in the text are ignored.
fn pin<M: Message + PartialEq + std::fmt::Debug>(message: &M, text: &str) {
    let expected: String = text.split_whitespace().collect();
    assert_eq!(hex::encode(encode(message)), expected);
    let bytes = hex::decode(expected).unwrap();
    assert_eq!(decode(&bytes, 4096).as_ref(), Ok(message));
}

#[test]
fn signed_heads() {
    pin(&signed_head::<S>(), SIGNED_HEAD);
    pin(&signed_head::<Blake3Ed25519>(), SIGNED_HEAD_BLAKE3);
    pin(&signed_head::<Paper2010>(), SIGNED_HEAD_PAPER);
}

#[test]
fn inclusion_proof() {
    pin(&Chain::new(6).inclusion(3, 6), INCLUSION_PROOF);
}

#[test]
fn consistency_proof() {
    pin(&Chain::new(6).consistency(4, 6), CONSISTENCY_PROOF);
}

#[test]
fn update_of_three_operations() {
    pin(&update(), UPDATE);
}

#[test]
fn equivocation_of_two_heads() {
    pin(&equivocation(), EQUIVOCATION);
}

#[test]
fn prefix_proof() {
    pin(&Chain::new(6).prefix(4, 6), PREFIX_PROOF);
}

#[test]
fn contradiction_of_a_head_and_a_past_root() {
    pin(&contradiction(), CONTRADICTION);
}

#[test]
fn trusted_views() {
    pin(&TrustedView::<S>::new(authority()), EMPTY_VIEW);
    pin(&view(), TRUSTED_VIEW);
}

const SIGNED_HEAD: &str = "
    5041443101010001
    fb02017369787465656e206279746573206964fb2c0179c9f17be7da2427779879f679a2ac83f7a6b24e1a02
    93c78e48ed6cbfb19771591fa863af81bd4021f30833d90a7ba820f9ee4edf2f4b3a2d5e0bf1ba2d4703ab3b
    c72f67cddd92b7764831896a3856c03a1578782e63553d5b55d74408ce1d4acb2033dced05da084f8d1e6568
    89adb7a4c5940f0dd7a2572a3f8ec303c10d
";
const SIGNED_HEAD_BLAKE3: &str = "
    5041443101010002
    fb02017369787465656e206279746573206964fb2c01f38602c09ef5fb05aa2a8e53d55d80392964d25b5bc1
    56dfd1b9c17ea9ec0776c42cab979256df664e97a6175eec0cd9435036475f2beaaee5e4b5f3e653df8d1295
    42b4a0721700bc4786b131d44200944d86dfa5821916a9008d26348a20baefd82bc9f937b8604938a2126741
    13f7c669c5d201a74fa1b2f02a3dba38c807
";
const SIGNED_HEAD_PAPER: &str = "
    5041443101010003
    fb02017369787465656e206279746573206964fb2c0179c9f17be7da2427779879f679a2ac83f7a6b24e1a02
    93c78e48ed6c591fa863af81bd4021f30833d90a7ba820f9ee4edf2f4b3a2d5e0bf174066be5c9086b66fc58
    772e74cb14f839d3d00378d306d6475bffaddd0e852e4f6569ad857a9a05d21d3aefcaaac6af212051f3ff13
    b58691e6158b3176f606
";
const INCLUSION_PROOF: &str = "
    5041443101020001
    b9076936f28574a3423627a181a9fb9cb202c6090484289a39cd2b1312b8985c03e00a314fa0af04740ab970
    e57673c6e4c529637091e3e071b22c4b6115063bb6b2a83636138c09b2d019234e8d6ac533a49e51dc9b7863
    5195a2d8f13b469d33e025a965dc2657a65cae827f48469f1deb23403b06e13e8a4550410392117c03
";
const CONSISTENCY_PROOF: &str = "
    5041443101030001
    03c75837e0a2fb79a33afd6206cf7bb169e795c0813f74015f2215bc3f7c4d3019b2a83636138c09b2d01923
    4e8d6ac533a49e51dc9b78635195a2d8f13b469d33e025a965dc2657a65cae827f48469f1deb23403b06e13e
    8a4550410392117c0304c75837e0a2fb79a33afd6206cf7bb169e795c0813f74015f2215bc3f7c4d3019e00a
    314fa0af04740ab970e57673c6e4c529637091e3e071b22c4b6115063bb6b2a83636138c09b2d019234e8d6a
    c533a49e51dc9b78635195a2d8f13b469d33e025a965dc2657a65cae827f48469f1deb23403b06e13e8a4550
    410392117c03
";
const UPDATE: &str = "
    5041443101040001
    fb2b0103000161036f6e6501016200016300fb02017369787465656e206279746573206964fb2c0179c9f17b
    e7da2427779879f679a2ac83f7a6b24e1a0293c78e48ed6cbfb19771591fa863af81bd4021f30833d90a7ba8
    20f9ee4edf2f4b3a2d5e0bf1ba2d4703ab3bc72f67cddd92b7764831896a3856c03a1578782e63553d5b55d7
    4408ce1d4acb2033dced05da084f8d1e656889adb7a4c5940f0dd7a2572a3f8ec303c10d
";
const EQUIVOCATION: &str = "
    5041443101050001
    fb02017369787465656e206279746573206964fb2c0179c9f17be7da2427779879f679a2ac83f7a6b24e1a02
    93c78e48ed6cbfb19771591fa863af81bd4021f30833d90a7ba820f9ee4edf2f4b3a2d5e0bf1ba2d4703ab3b
    c72f67cddd92b7764831896a3856c03a1578782e63553d5b55d74408ce1d4acb2033dced05da084f8d1e6568
    89adb7a4c5940f0dd7a2572a3f8ec303c10dfb02017369787465656e206279746573206964fb2c01b9076936
    f28574a3423627a181a9fb9cb202c6090484289a39cd2b1312b8985c591fa863af81bd4021f30833d90a7ba8
    20f9ee4edf2f4b3a2d5e0bf1ba2d4703e44676eb28ba3b5e29e0c0c11f32527b938e19dc9116f86d28f8dedd
    01774fc5ed8717f2fe74350856dd32a7a690aee14a62d3dc1f687e486665f9f95020f706
";
const EMPTY_VIEW: &str = "
    5041443101060001
    03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b87369787465656e2062797465
    73206964fb020100
";
const TRUSTED_VIEW: &str = "
    5041443101060001
    03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b87369787465656e2062797465
    73206964fb020101fb02017369787465656e20627974657320696402591fa863af81bd4021f30833d90a7ba8
    20f9ee4edf2f4b3a2d5e0bf1ba2d4703138d0110b10a9259f113214cb5a95ec4569668066b19851497457b0c
    5ad15c14868bdd1770cb5214c338216e911a522e818e8126b437baad3b2d70abca881253789d709215d3dd2c
    c6c34d09952e8a17e075e2f41f2b2d219470463de05c1707
";
const PREFIX_PROOF: &str = "
    5041443101080001
    04c75837e0a2fb79a33afd6206cf7bb169e795c0813f74015f2215bc3f7c4d3019e00a314fa0af04740ab970
    e57673c6e4c529637091e3e071b22c4b6115063bb6b2a83636138c09b2d019234e8d6ac533a49e51dc9b7863
    5195a2d8f13b469d33e025a965dc2657a65cae827f48469f1deb23403b06e13e8a4550410392117c03
";
const CONTRADICTION: &str = "
    5041443101090001
    04fb02017369787465656e2062797465732069640458d31a3b181711e8c1e47da1fed930881c9b970ca27414
    86d61764c675f4da62bdeeef468ab0496ebaae291efe1b926f774b0950bdbda2afc4c17fdb8fc3a2f8636c63
    d0d696e2d9224a6a32e0e02c69532614f6ccf3c87aeed2e836b8a8a780316357a8936a9b267183c70abaa1bf
    b9f73c23b35d1d320661d369aa34bd6e0500fb02017369787465656e206279746573206964065f211da81548
    de69dd1fb356e7a610517afc2b848a3d95a4707e53d05a1929fca575ec640ced67d19512c0620d9635421d26
    5b82c411c61c7535d51e42e6a8089659a6ebf917ba5ad158e0ab94b984a5cf4807f782166a72c475b4911858
    38f6d378c372d67f8c04e2e8ce4a7535dae1b3c535e7d04d1e5693471b6f6944d204010551ddb1a2d9f26a13
    39433ff323fa2ac8cdf550c1cd183e5f9fe127bbef4f0b033c7634b3971c87919554249e567dc155d8481101
    9857c5a971e1b916077e8b55b2a83636138c09b2d019234e8d6ac533a49e51dc9b78635195a2d8f13b469d33
    41f753ba4adf39c57012535ab5a630bab7aca39b77555e9f6f399a823ccae020
";
