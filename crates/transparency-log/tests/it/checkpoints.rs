//! Checkpoints: the specification's examples, and hostile text.

use transparency_log::{Checkpoint, CheckpointError, Note, tree::Hash};

use crate::support::text_mutations;

/// The example of `tlog-cosignature`, with the log's signature and a witness's.
const EXAMPLE: &str = "example.com/behind-the-sofa\n20852163\n\
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
    \u{2014} example.com/behind-the-sofa \
    Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n\
    \u{2014} witness.example.com/w1 \
    jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/\
    zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";

#[test]
fn the_example_of_the_specification_is_read() {
    let note = Note::parse(EXAMPLE.as_bytes()).unwrap();
    assert_eq!(note.encode(), EXAMPLE);
    let checkpoint = Checkpoint::parse(note.unverified_text()).unwrap();
    assert_eq!(checkpoint.origin(), "example.com/behind-the-sofa");
    assert_eq!(checkpoint.size(), 20_852_163);
    let root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
    assert_eq!(checkpoint.root().to_string(), root);
    assert_eq!(checkpoint.text(), note.unverified_text());
    let [log, witness] = note.signatures() else {
        panic!("two signatures")
    };
    assert_eq!(log.id().to_string(), "033de0ae");
    assert_eq!(log.as_bytes().len(), 64);
    assert_eq!(witness.as_bytes().len(), 8 + 64);
    // The time in the specification's example.
    assert_eq!(witness.as_bytes()[..8], 1_679_315_147_u64.to_be_bytes());
}

#[test]
fn every_text_that_is_read_is_the_text_of_what_was_read() {
    let checkpoint = Checkpoint::new("log \u{fc}ber + alles", 10, Hash::of_nothing()).unwrap();
    let extended = checkpoint.clone().with_extension("one").unwrap();
    let extended = extended.with_extension("two").unwrap();
    for honest in [checkpoint, extended] {
        assert_eq!(Checkpoint::parse(&honest.text()), Ok(honest.clone()));
        for changed in text_mutations(&honest.text()) {
            if let Ok(read) = Checkpoint::parse(&changed) {
                assert_eq!(read.text(), changed);
                assert_ne!(read, honest);
            }
        }
    }
}

#[test]
fn what_is_no_checkpoint_is_refused_by_name() {
    let root = Hash::of_nothing();
    let refused = |text: String| Checkpoint::parse(&text).unwrap_err();
    for text in [
        String::new(),
        "o\n1\n".into(),
        format!("o\n1\n{root}"),
        format!("o\n1\n{root}\na"),
    ] {
        assert_eq!(refused(text), CheckpointError::Short);
    }
    assert_eq!(refused(format!("\n1\n{root}\n")), CheckpointError::Origin);
    let sizes = ["", "01", "+1", "-1", " 1", "1 ", "0x1", "00", "\u{661}"];
    for size in sizes.into_iter().chain(["18446744073709551616"]) {
        let refused = refused(format!("o\n{size}\n{root}\n"));
        assert_eq!(refused, CheckpointError::Size, "{size}");
    }
    Checkpoint::parse(&format!("o\n18446744073709551615\n{root}\n")).unwrap();
    for root in [
        "",
        "AAAA",
        &root.to_string()[1..],
        &format!("{root}="),
        &format!("{root}AAAA"),
        // The last base64 digit of 32 bytes has two unused bits.
        &root.to_string().replace("U=", "V="),
    ] {
        let refused = refused(format!("o\n1\n{root}\n"));
        assert_eq!(refused, CheckpointError::Root, "{root}");
    }
    for extension in ["\n", "a\n\nb\n", "a\rb\n"] {
        let refused = refused(format!("o\n1\n{root}\n{extension}"));
        assert_eq!(refused, CheckpointError::Extension);
    }
    let refused = Checkpoint::new("a\nb", 1, root);
    assert_eq!(refused, Err(CheckpointError::Origin));
    let checkpoint = Checkpoint::new("a", 1, root).unwrap();
    let refused = checkpoint.with_extension("a\nb");
    assert_eq!(refused, Err(CheckpointError::Extension));
}
