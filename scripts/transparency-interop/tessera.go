package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

// witnessed runs a log of Tessera's in files, whose checkpoints are published only with a cosignature of our witness.
// Each request to it is one run of its program: the request on standard input, the answer on standard output.
func witnessed(folder string, entries int, witnessKey, program string) error {
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
	address, answered, err := serve(program, filepath.Join(folder, "witness"), logKey)
	if err != nil {
		return err
	}
	group, err := tessera.NewWitness(witnessKey, address)
	if err != nil {
		return err
	}
	// Twice, as two processes.
	for round := range 2 {
		if err := appendTo(folder, signer, tessera.NewWitnessGroup(1, group), entries, round); err != nil {
			return err
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
	witness, err := f_note.NewVerifierForCosignatureV1(witnessKey)
	if err != nil {
		return err
	}
	opened, err := note.Open(signed, note.VerifierList(log, witness))
	if err != nil || len(opened.Sigs) != 2 {
		return fmt.Errorf("the checkpoint is not cosigned: %v", err)
	}
	fmt.Printf("a Tessera log of %d entries was cosigned by our witness; its answers by status: %v\n", 2*entries, answered)
	return ask(address, signed, 2*entries)
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

func serve(program, folder, logKey string) (*url.URL, map[int]int, error) {
	answered := make(map[int]int)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	turn := make(chan struct{}, 1)
	mux.HandleFunc("POST /add-checkpoint", func(w http.ResponseWriter, r *http.Request) {
		turn <- struct{}{}
		defer func() { <-turn }()
		request, err := io.ReadAll(io.LimitReader(r.Body, 2<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		command := exec.Command(program, "witness", folder, logKey)
		command.Stdin = bytes.NewReader(request)
		command.Stderr = os.Stderr
		output, err := command.Output()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		parts := bytes.SplitN(output, []byte("\n"), 3)
		status, err := strconv.Atoi(string(parts[0]))
		if err != nil || len(parts) != 3 {
			http.Error(w, "no answer", http.StatusInternalServerError)
			return
		}
		answered[status]++
		w.Header().Set("Content-Type", string(parts[1]))
		w.WriteHeader(status)
		_, _ = w.Write(parts[2])
	})
	go func() { _ = http.Serve(listener, mux) }()
	return &url.URL{Scheme: "http", Host: listener.Addr().String()}, answered, nil
}
