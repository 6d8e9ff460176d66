package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

// witnessed runs a log of Tessera's in files, whose checkpoints are published only with a cosignature of our witness: a
// process of its own, which is killed between the two rounds.
func witnessed(folder string, entries int, keyFile, program string) error {
	public, err := os.ReadFile(keyFile + ".pub")
	if err != nil {
		return err
	}
	witnessKey := strings.TrimSpace(string(public))
	secret, logKey, err := note.GenerateKey(rand.Reader, "tessera.example/log")
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return err
	}
	policy := fmt.Sprintf("log %s\nwitness w %s\nquorum w\n", logKey, witnessKey)
	if err := os.MkdirAll(filepath.Join(folder, "public"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "policy"), []byte(policy), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "log.pub"), []byte(logKey), 0o644); err != nil {
		return err
	}
	listen := "127.0.0.1:0"
	var ours *witness
	// Twice, as two processes, of the log and of the witness.
	for round := range 2 {
		ours, err = serve(program, filepath.Join(folder, "witness"), keyFile, logKey, listen)
		if err != nil {
			return err
		}
		defer ours.kill()
		listen = ours.address.Host
		group, err := tessera.NewWitness(witnessKey, ours.address)
		if err != nil {
			return err
		}
		if err := appendTo(folder, signer, tessera.NewWitnessGroup(1, group), entries, round); err != nil {
			return err
		}
		answers, err := ours.answers()
		if err != nil {
			return err
		}
		fmt.Printf("round %d: answers of our witness by status: %s\n", round+1, answers)
		if round == 0 {
			ours.kill()
		}
	}
	signed, err := os.ReadFile(filepath.Join(folder, "public", "checkpoint"))
	if err != nil {
		return err
	}
	log, err := note.NewVerifier(logKey)
	if err != nil {
		return err
	}
	cosigner, err := f_note.NewVerifierForCosignatureV1(witnessKey)
	if err != nil {
		return err
	}
	opened, err := note.Open(signed, note.VerifierList(log, cosigner))
	if err != nil || len(opened.Sigs) != 2 {
		return fmt.Errorf("the checkpoint is not cosigned: %v", err)
	}
	fmt.Printf("a Tessera log of %d entries was cosigned by our witness, which was killed in between\n", 2*entries)
	return ask(ours.address, signed, 2*entries)
}

// ask is what a log does that does not know what the witness has seen.
func ask(address *url.URL, signed []byte, size int) error {
	request := append([]byte("old 0\n\n"), signed...)
	answer, err := http.Post(address.JoinPath("add-checkpoint").String(), "text/plain", bytes.NewReader(request))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	kind := answer.Header.Get("Content-Type")
	if answer.StatusCode != http.StatusConflict || kind != "text/x.tlog.size" || string(body) != fmt.Sprintf("%d\n", size) {
		return fmt.Errorf("asked for its size the witness says %d, %s, %q", answer.StatusCode, kind, body)
	}
	fmt.Println("and it says of which size the checkpoint was when asked from another one")
	return nil
}

func appendTo(folder string, signer note.Signer, group tessera.WitnessGroup, entries, round int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	driver, err := posix.New(ctx, posix.Config{Path: filepath.Join(folder, "public")})
	if err != nil {
		return err
	}
	options := tessera.NewAppendOptions().
		WithCheckpointSigner(signer).
		WithBatching(100, 100*time.Millisecond).
		WithCheckpointInterval(200*time.Millisecond).
		WithWitnesses(group, &tessera.WitnessOptions{Timeout: time.Minute})
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, options)
	if err != nil {
		return err
	}
	awaiter := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, 100*time.Millisecond)
	for n := range entries {
		entry := tessera.NewEntry(fmt.Appendf(nil, "entry %d of round %d", n, round))
		future := appender.Add(ctx, entry)
		// Some are waited for, so that several checkpoints are cosigned.
		if n%(1+entries/3) == 0 || n == entries-1 {
			if _, _, err := awaiter.Await(ctx, future); err != nil {
				return err
			}
		}
	}
	return shutdown(ctx)
}

// witness is a running `pad witness`.
type witness struct {
	process *exec.Cmd
	address *url.URL
}

// serve starts our witness at an address, or at a free port, and waits until it says where it listens.
func serve(program, folder, keyFile, logKey, listen string) (*witness, error) {
	command := exec.Command(program, "--json", "witness", "--listen", listen, "--state", folder, "--key", keyFile,
		"--known-log", logKey)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	var said struct{ URL string }
	if err := json.NewDecoder(output).Decode(&said); err != nil {
		_ = command.Process.Kill()
		return nil, fmt.Errorf("the witness does not say where it listens: %w", err)
	}
	address, err := url.Parse(said.URL)
	return &witness{command, address}, err
}

// kill ends the witness without a warning.
func (w *witness) kill() {
	_ = w.process.Process.Kill()
	_ = w.process.Wait()
}

// answers is how many requests the witness has answered with which status since it began.
func (w *witness) answers() (string, error) {
	answer, err := http.Get(w.address.JoinPath("metrics").String())
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	metrics, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`pad_witness_answers_total{status="(\d+)"} ([1-9]\d*)`).FindAllSubmatch(metrics, -1)
	var said []string
	for _, one := range found {
		said = append(said, fmt.Sprintf("%s: %s", one[1], one[2]))
	}
	return strings.Join(said, ", "), nil
}
