package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/transparency-dev/formats/log"
	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// stored has the hashes of a log in memory.
type stored []tlog.Hash

func (s *stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var hashes []tlog.Hash
	for _, index := range indexes {
		hashes = append(hashes, (*s)[index])
	}
	return hashes, nil
}

// maker writes a log of x/mod's with notes of x/mod's and cosignatures of formats'.
type maker struct {
	folder       string
	origin       string
	log, witness note.Signer
	hashes       stored
	entries      [][]byte
}

func makeLog(folder string, size int64) error {
	m := &maker{folder: folder, origin: "go.example/log"}
	logSecret, logKey, err := note.GenerateKey(rand.Reader, m.origin)
	if err != nil {
		return err
	}
	if m.log, err = note.NewSigner(logSecret); err != nil {
		return err
	}
	secret, key, err := note.GenerateKey(rand.Reader, "go.example/witness")
	if err != nil {
		return err
	}
	if m.witness, err = f_note.NewSignerForCosignatureV1(secret); err != nil {
		return err
	}
	witnessKey, err := f_note.VKeyToCosignatureV1(key)
	if err != nil {
		return err
	}
	policy := fmt.Sprintf("log %s\nwitness w %s\nquorum w\n", logKey, witnessKey)
	if err := m.write("policy", []byte(policy)); err != nil {
		return err
	}
	before := int64(0)
	for _, until := range []int64{1, 2, 3, 255, 256, 257, 300, size / 2, size} {
		if until > size || until < before {
			continue
		}
		if err := m.grow(before, until); err != nil {
			return err
		}
		before = until
	}
	fmt.Printf("made a log of %d entries (x/mod tlog, formats)\n", before)
	return nil
}

func (m *maker) grow(before, until int64) error {
	for n := before; n < until; n++ {
		entry := fmt.Appendf(nil, "record %d %s", n, strings.Repeat("-", int(n%40)))
		m.entries = append(m.entries, entry)
		hashes, err := tlog.StoredHashes(n, entry, &m.hashes)
		if err != nil {
			return err
		}
		m.hashes = append(m.hashes, hashes...)
	}
	root, err := tlog.TreeHash(until, &m.hashes)
	if err != nil {
		return err
	}
	text := string(log.Checkpoint{Origin: m.origin, Size: uint64(until), Hash: root[:]}.Marshal())
	signed, err := note.Sign(&note.Note{Text: text}, m.log)
	if err != nil {
		return err
	}
	cosigned, err := note.Sign(&note.Note{Text: text}, m.log, m.witness)
	if err != nil {
		return err
	}
	if err := m.request(before, until, signed); err != nil {
		return err
	}
	if err := m.proofs(until, root, cosigned); err != nil {
		return err
	}
	if err := m.publish(before, until); err != nil {
		return err
	}
	return m.write("public/checkpoint", cosigned)
}

func (m *maker) request(before, until int64, signed []byte) error {
	request := fmt.Sprintf("old %d\n", before)
	if before > 0 {
		hashes, err := tlog.ProveTree(until, before, &m.hashes)
		if err != nil {
			return err
		}
		for _, hash := range hashes {
			request += base64.StdEncoding.EncodeToString(hash[:]) + "\n"
		}
	}
	return m.write(fmt.Sprintf("requests/%020d-%020d", before, until), []byte(request+"\n"+string(signed)))
}

func (m *maker) proofs(size int64, _ tlog.Hash, cosigned []byte) error {
	for _, n := range []int64{0, size / 3, size / 2, size - 1} {
		hashes, err := tlog.ProveRecord(size, n, &m.hashes)
		if err != nil {
			return err
		}
		p := proof.TLogProof{Index: uint64(n), Checkpoint: cosigned, ExtraData: m.entries[n]}
		for _, hash := range hashes {
			p.Hashes = append(p.Hashes, hash)
		}
		if err := m.write(fmt.Sprintf("proofs/%d-of-%d", n, size), p.Marshal()); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) publish(before, until int64) error {
	for _, tile := range tlog.NewTiles(8, before, until) {
		data, err := tlog.ReadTileData(tile, &m.hashes)
		if err != nil {
			return err
		}
		if err := m.write("public/"+tilePath(tile), data); err != nil {
			return err
		}
		if tile.L != 0 {
			continue
		}
		var bundle []byte
		for _, entry := range m.entries[tile.N*256 : tile.N*256+int64(tile.W)] {
			bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(entry)))
			bundle = append(bundle, entry...)
		}
		path := strings.Replace(tilePath(tile), "tile/0/", "tile/entries/", 1)
		if err := m.write("public/"+path, bundle); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) write(name string, contents []byte) error {
	path := filepath.Join(m.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, contents, 0o644)
}
