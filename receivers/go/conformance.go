package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"
)

// Answers the conformance vectors: inputs by kind on stdin, results by kind on stdout.
func init() { commands["conformance"] = func(*Inbox) error { return conformance() } }

type given struct {
	Secrets, ID, Timestamp, Signature, Body, URL, Key, Epoch, RetryAfter string
	Now, After                                                           int64
	Wait, Status, Attempt                                                int
	Random                                                               float64
}

var kinds = map[string]func(given) any{
	"signature": func(one given) any {
		headers := http.Header{}
		headers.Set("webhook-id", one.ID)
		headers.Set("webhook-timestamp", one.Timestamp)
		headers.Set("webhook-signature", one.Signature)
		if err := verify(strings.Fields(one.Secrets), headers, []byte(one.Body), time.Unix(one.Now, 0), 300); err != nil {
			return err.Error()
		}
		return "ok"
	},
	"event": func(one given) any {
		event, err := readEvent([]byte(one.Body))
		if err != nil {
			return err.Error()
		}
		return map[string]any{"id": event.ID, "type": event.Type, "timestamp": event.Timestamp,
			"locationId": event.LocationID, "sequence": event.Sequence, "isTest": isTest(event)}
	},
	"request": func(one given) any {
		address, headers := feedRequest(one.URL, one.Key, Position{one.After, one.Epoch}, one.Wait)
		return map[string]any{"url": address, "headers": headers}
	},
	"page": func(one given) any {
		page, err := readPage([]byte(one.Body))
		if err != nil {
			return err.Error()
		}
		ids := []string{}
		for _, raw := range page.Data {
			event, err := readEvent(raw)
			if err != nil {
				return err.Error()
			}
			ids = append(ids, event.ID)
		}
		return map[string]any{"ids": ids, "after": page.Meta.Next, "epoch": page.Meta.Epoch, "isAtHead": page.isAtHead()}
	},
	"error": func(one given) any {
		return readProblem(one.Status, []byte(one.Body))
	},
	"retry": func(one given) any {
		if wait := waitBeforeRetry(one.Status, one.RetryAfter, one.Attempt, one.Random); wait >= 0 {
			return wait
		}
		return nil
	},
}

func conformance() error {
	var inputs map[string][]given
	if err := json.NewDecoder(os.Stdin).Decode(&inputs); err != nil {
		return err
	}
	results := map[string][]any{}
	for kind, ones := range inputs {
		for _, one := range ones {
			results[kind] = append(results[kind], kinds[kind](one))
		}
	}
	return json.NewEncoder(os.Stdout).Encode(results)
}
