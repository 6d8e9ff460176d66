package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/transparency-dev/formats/log"
	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// keys verify the notes of one log, and the cosignatures of one witness.
type keys struct {
	log, witness note.Verifier
}

func readKeys(folder string) (keys, error) {
	var k keys
	text, err := os.ReadFile(filepath.Join(folder, "log.pub"))
	if err != nil {
		return k, err
	}
	if k.log, err = note.NewVerifier(string(text)); err != nil {
		return k, err
	}
	if text, err = os.ReadFile(filepath.Join(folder, "witness.pub")); err != nil {
		return k, err
	}
	k.witness, err = f_note.NewVerifierForCosignatureV1(string(text))
	return k, err
}

// checkpoint opens a note that must have the signature of the log, and the witness's if wanted.
func (k keys) checkpoint(signed []byte, cosigned bool) (*tlog.Tree, error) {
	parsed, _, opened, err := log.ParseCheckpoint(signed, k.log.Name(), k.log, k.witness)
	if err != nil {
		return nil, err
	}
	if cosigned != (len(opened.Sigs) == 2) {
		return nil, fmt.Errorf("%d verified signatures", len(opened.Sigs))
	}
	if cosigned {
		if _, err := f_note.CoSigV1Timestamp(opened.Sigs[1]); err != nil {
			return nil, err
		}
	}
	if len(parsed.Hash) != tlog.HashSize {
		return nil, errors.New("a root of another length")
	}
	return &tlog.Tree{N: int64(parsed.Size), Hash: tlog.Hash(parsed.Hash)}, nil
}

// check verifies everything in the folder of a log that this workspace made.
func check(folder string) error {
	if err := checkTexts(folder); err != nil {
		return err
	}
	k, err := readKeys(folder)
	if err != nil {
		return err
	}
	if err := checkTiles(folder, k); err != nil {
		return fmt.Errorf("tiles: %w", err)
	}
	return nil
}

// checkTexts verifies the proofs and requests in a folder.
func checkTexts(folder string) error {
	k, err := readKeys(folder)
	if err != nil {
		return err
	}
	if err := checkProofs(folder, k); err != nil {
		return fmt.Errorf("proofs: %w", err)
	}
	if err := checkRequests(folder, k); err != nil {
		return fmt.Errorf("requests: %w", err)
	}
	return nil
}

func checkProofs(folder string, k keys) error {
	paths, err := filepath.Glob(filepath.Join(folder, "proofs", "*"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("none found: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var p proof.TLogProof
		if err := p.Unmarshal(text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		tree, err := k.checkpoint(p.Checkpoint, true)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		hashes := make(tlog.RecordProof, len(p.Hashes))
		for i, hash := range p.Hashes {
			hashes[i] = tlog.Hash(hash)
		}
		leaf := tlog.RecordHash(p.ExtraData)
		if err := tlog.CheckRecord(hashes, tree.N, tree.Hash, int64(p.Index), leaf); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		other := tlog.RecordHash([]byte("another"))
		if tlog.CheckRecord(hashes, tree.N, tree.Hash, int64(p.Index), other) == nil {
			return fmt.Errorf("%s proves everything", path)
		}
	}
	fmt.Printf("%d proofs of inclusion with notes and cosignatures verified (formats, x/mod tlog)\n", len(paths))
	return nil
}

// checkRequests reads the requests to a witness in their order; each must continue the one before.
func checkRequests(folder string, k keys) error {
	paths, err := filepath.Glob(filepath.Join(folder, "requests", "*"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("none found: %v", err)
	}
	var before *tlog.Tree
	checked := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head, signed, found := strings.Cut(string(text), "\n\n")
		lines := strings.Split(head, "\n")
		old, isOld := strings.CutPrefix(lines[0], "old ")
		size, err := strconv.ParseInt(old, 10, 64)
		if !found || !isOld || err != nil {
			return fmt.Errorf("%s: %v", path, err)
		}
		tree, err := k.checkpoint([]byte(signed), false)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var hashes tlog.TreeProof
		for _, line := range lines[1:] {
			hash, err := base64.StdEncoding.DecodeString(line)
			if err != nil || len(hash) != tlog.HashSize {
				return fmt.Errorf("%s: %q is no hash", path, line)
			}
			hashes = append(hashes, tlog.Hash(hash))
		}
		if before != nil && before.N != size {
			return fmt.Errorf("%s does not follow %d", path, before.N)
		}
		if size > 0 && before != nil {
			if err := tlog.CheckTree(hashes, tree.N, tree.Hash, before.N, before.Hash); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			checked++
		}
		before = tree
	}
	fmt.Printf("%d proofs of consistency in %d requests verified (x/mod tlog)\n", checked, len(paths))
	return nil
}

// published reads tiles as files; x/mod's own paths begin with the height of the tiles.
type published string

func (p published) Height() int { return 8 }

func (p published) SaveTiles([]tlog.Tile, [][]byte) {}

func (p published) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, tile := range tiles {
		bytes, err := os.ReadFile(filepath.Join(string(p), tilePath(tile)))
		if err != nil {
			return nil, err
		}
		read = append(read, bytes)
	}
	return read, nil
}

func tilePath(tile tlog.Tile) string {
	return strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
}

// checkTiles proves from our tiles, with x/mod's reader, which verifies them by the root.
func checkTiles(folder string, k keys) error {
	public := published(filepath.Join(folder, "public"))
	signed, err := os.ReadFile(filepath.Join(string(public), "checkpoint"))
	if err != nil {
		return err
	}
	tree, err := k.checkpoint(signed, true)
	if err != nil {
		return err
	}
	reader := tlog.TileHashReader(*tree, public)
	root, err := tlog.TreeHash(tree.N, reader)
	if err != nil || root != tree.Hash {
		return fmt.Errorf("another root: %v", err)
	}
	number := 0
	for n := int64(1); n < tree.N; n += 1 + tree.N/97 {
		older, err := tlog.TreeHash(n, reader)
		if err != nil {
			return err
		}
		hashes, err := tlog.ProveTree(tree.N, n, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(hashes, tree.N, tree.Hash, n, older); err != nil {
			return err
		}
		number++
	}
	fmt.Printf("tiles of %d entries read, and %d proofs made from them (x/mod tlog)\n", tree.N, number)
	return nil
}
