// Receives the events of Tillgate. Requires only Go 1.19 or later: go build -o receiver receiver.go
//
//	receiver serve            an endpoint for webhooks on PORT (3000), and the processing
//	receiver feed [--follow]  fetch the events after the last number from the feed, once or continuously
//	receiver work             process the events of the inbox, once; not while serve runs
//
// Settings are variables: WEBHOOK_SECRETS (one or more, separated by spaces), TILLGATE_URL and TILLGATE_KEY for the feed,
// RECEIVER_DIR (./tillgate-inbox), HOST (127.0.0.1) and PORT.
//
// Each event is a file in the inbox, which is named after its sequence and id and created once. So ids are remembered, and
// a delivery is answered before the work is done. A processed event is moved to done. Change handle to what you need. It
// is called again with the same event if the process is killed during the call.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const largestBody = 4 << 20

// Event is the content of a delivery and of the feed; Data has the bytes of the resource as it was stored.
type Event struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Timestamp  string          `json:"timestamp"`
	LocationID string          `json:"locationId"`
	Sequence   int64           `json:"sequence"`
	Data       json.RawMessage `json:"data"`
}

// handle does your work. Return an error to process the event again.
func handle(event Event) error {
	_, err := fmt.Println(event.Type, event.Sequence, event.ID)
	return err
}

// Refused states why a request is not a delivery of Tillgate.
type Refused string

func (reason Refused) Error() string { return string(reason) }

var timestampForm = regexp.MustCompile(`^[0-9]{1,12}$`)

// keyOf returns the key of a secret. With an empty or short secret, such as an unset variable, anybody could sign.
func keyOf(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if !strings.HasPrefix(secret, "whsec_") || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("a secret must be whsec_ followed by 24 to 64 bytes in base64")
	}
	return key, nil
}

// verify checks a signature of Standard Webhooks 1.0 over the raw bytes of the body.
func verify(secrets []string, headers http.Header, body []byte, now time.Time, tolerance int64) error {
	id, timestamp, signatures := headers.Get("webhook-id"), headers.Get("webhook-timestamp"), headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return Refused("header_missing")
	}
	sent, _ := strconv.ParseInt(timestamp, 10, 64)
	if off := now.Unix() - sent; !timestampForm.MatchString(timestamp) || off > tolerance || off < -tolerance {
		return Refused("timestamp_off")
	}
	for _, secret := range secrets {
		key, err := keyOf(secret)
		if err != nil {
			return err
		}
		code := hmac.New(sha256.New, key)
		code.Write([]byte(id + "." + timestamp + "."))
		code.Write(body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(code.Sum(nil)))
		for _, one := range strings.Split(signatures, " ") {
			if hmac.Equal(expected, []byte(one)) {
				return nil
			}
		}
	}
	return Refused("signature_wrong")
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// readEvent reads the event in a body. It checks the id, which becomes the name of a file.
func readEvent(body []byte) (Event, error) {
	event := Event{Sequence: -1}
	if !utf8.Valid(body) || json.Unmarshal(body, &event) != nil {
		return event, Refused("body_invalid")
	}
	if !idForm.MatchString(event.ID) || event.Sequence < 0 || event.Type == "" {
		return event, Refused("body_invalid")
	}
	return event, nil
}

// isTest returns whether an event is from the test operation, by its signed id: the header webhook-test is not signed.
func isTest(event Event) bool { return strings.Contains(event.ID, "_00000000_") }

// Inbox stores events on disk, each once.
type Inbox struct{ inbox, done, positionFile string }

func openInbox(folder string) (*Inbox, error) {
	box := &Inbox{filepath.Join(folder, "inbox"), filepath.Join(folder, "done"), filepath.Join(folder, "position.json")}
	for _, path := range []string{box.inbox, box.done} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, err
		}
	}
	return box, nil
}

// store returns without an error when the event is on disk or known, so a kill does not lose it.
func (box *Inbox) store(event Event, body []byte) error {
	name := fmt.Sprintf("%016d-%s.json", event.Sequence, event.ID)
	written, err := box.write(body)
	if err != nil {
		return err
	}
	defer os.Remove(written)
	path := filepath.Join(box.inbox, name)
	if err := os.Link(written, path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	if _, err := os.Stat(filepath.Join(box.done, name)); err == nil {
		return os.Remove(path)
	}
	return syncFolder(box.inbox)
}

func (box *Inbox) write(body []byte) (string, error) {
	file, err := os.CreateTemp(box.inbox, ".*")
	if err != nil {
		return "", err
	}
	defer file.Close()
	if _, err := file.Write(body); err != nil {
		return "", err
	}
	return file.Name(), file.Sync()
}

// work processes all events in the inbox, the lowest sequence first.
func (box *Inbox) work() error {
	entries, err := os.ReadDir(box.inbox)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path, done := filepath.Join(box.inbox, entry.Name()), filepath.Join(box.done, entry.Name())
		if _, err := os.Stat(done); err != nil {
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			event, err := readEvent(body)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := handle(event); err != nil {
				return err
			}
		}
		if err := os.Rename(path, done); err != nil {
			return err
		}
	}
	return nil
}

// Position is the position in the feed up to which events are stored.
type Position struct {
	After int64  `json:"after"`
	Epoch string `json:"epoch"`
}

func (box *Inbox) position() (position Position, err error) {
	text, err := os.ReadFile(box.positionFile)
	if errors.Is(err, fs.ErrNotExist) {
		return position, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &position)
	}
	return position, err
}

func (box *Inbox) moveTo(position Position) error {
	text, _ := json.Marshal(position)
	written, err := box.write(text)
	if err != nil {
		return err
	}
	return os.Rename(written, box.positionFile)
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// endpoint responds as soon as the event is on disk; the work follows.
func endpoint(box *Inbox, secrets []string, news chan<- struct{}) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			http.Error(response, "POST only", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, largestBody))
		if err != nil {
			http.Error(response, "the body is too large", http.StatusRequestEntityTooLarge)
			return
		}
		event, err := Event{}, verify(secrets, request.Header, body, time.Now(), 300)
		if err == nil {
			event, err = readEvent(body)
		}
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		if !isTest(event) {
			if err := box.store(event, body); err != nil {
				http.Error(response, "the event could not be kept", http.StatusInternalServerError)
				return
			}
			select {
			case news <- struct{}{}:
			default:
			}
		}
		response.WriteHeader(http.StatusNoContent)
	}
}

func serve(box *Inbox) error {
	secrets := strings.Fields(os.Getenv("WEBHOOK_SECRETS"))
	unset := errors.New("set WEBHOOK_SECRETS to the secret of the webhook: whsec_ followed by 24 to 64 bytes in base64; separate several with spaces")
	if len(secrets) == 0 {
		return unset
	}
	for _, secret := range secrets {
		if _, err := keyOf(secret); err != nil {
			return unset
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(orElse("HOST", "127.0.0.1"), orElse("PORT", "3000")))
	if err != nil {
		return err
	}
	news := make(chan struct{}, 1)
	server := &http.Server{Handler: endpoint(box, secrets, news), ReadTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	for {
		if err := box.work(); err != nil {
			fmt.Fprintln(os.Stderr, "processing failed, retrying:", err)
		}
		select {
		case <-news:
		case <-time.After(5 * time.Second):
		case err := <-failed:
			return err
		}
	}
}

func orElse(name, value string) string {
	if set := os.Getenv(name); set != "" {
		return set
	}
	return value
}

// feedRequest returns the URL and the headers of a request for the events after a sequence.
func feedRequest(base, key string, position Position, wait int) (string, map[string]string) {
	query := url.Values{"limit": {"500"}, "after": {strconv.FormatInt(position.After, 10)}, "wait": {strconv.Itoa(wait)}}
	if position.Epoch != "" {
		query.Set("epoch", position.Epoch)
	}
	return strings.TrimRight(base, "/") + "/v1/events/?" + query.Encode(), map[string]string{"x-api-key": key}
}

// Page is a page of the feed; its events keep their bytes.
type Page struct {
	Data []json.RawMessage `json:"data"`
	Meta struct {
		Next  int64  `json:"next"`
		Head  int64  `json:"head"`
		Epoch string `json:"epoch"`
	} `json:"meta"`
}

func (page Page) isAtHead() bool { return page.Meta.Next >= page.Meta.Head }

func readPage(body []byte) (page Page, err error) {
	err = json.Unmarshal(body, &page)
	return page, err
}

// Problem is the content of a response that is not a success.
type Problem struct {
	Code      string `json:"code"`
	Detail    string `json:"detail"`
	RequestID string `json:"requestId"`
}

func readProblem(status int, body []byte) Problem {
	var problem Problem
	if json.Unmarshal(body, &problem) != nil || problem.Code == "" {
		return Problem{"unexpected_answer", fmt.Sprintf("the server answered %d", status), ""}
	}
	return problem
}

// waitBeforeRetry returns milliseconds, or -1 if a retry does not help. Status 0 means that there is no response.
func waitBeforeRetry(status int, retryAfter string, attempt int, chance float64) int {
	if status > 0 && status < 500 && status != 408 && status != 429 {
		return -1
	}
	most := 10_000
	if attempt < 6 {
		most = 200 << attempt
	}
	wait := int(chance * float64(most))
	if asked, err := strconv.ParseUint(retryAfter, 10, 31); err == nil && int(asked)*1000 > wait {
		return int(asked) * 1000
	}
	return wait
}

// ask sends a request until there is a response, or until a retry does not help.
func ask(client *http.Client, address string, headers map[string]string) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		request, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		status, retryAfter, body := 0, "", []byte{}
		if answer, err := client.Do(request); err == nil {
			body, err = io.ReadAll(answer.Body)
			answer.Body.Close()
			if err == nil {
				status, retryAfter = answer.StatusCode, answer.Header.Get("retry-after")
			}
		}
		if status == http.StatusOK {
			return body, nil
		}
		wait := waitBeforeRetry(status, retryAfter, attempt, rand.Float64())
		if wait < 0 {
			// 409 epoch_changed and sequence_ahead need a decision by a person: docs/webhooks, "Read the feed".
			problem := readProblem(status, body)
			return nil, fmt.Errorf("%s: %s (request %s)", problem.Code, problem.Detail, problem.RequestID)
		}
		time.Sleep(time.Duration(wait) * time.Millisecond)
	}
}

func feed(box *Inbox, follow bool) error {
	rand.Seed(time.Now().UnixNano())
	server, key := os.Getenv("TILLGATE_URL"), os.Getenv("TILLGATE_KEY")
	if !(strings.HasPrefix(server, "https://") || strings.HasPrefix(server, "http://")) || key == "" {
		return errors.New("set TILLGATE_URL to the URL of the server, such as https://pos.example, and TILLGATE_KEY to a key of the scope read")
	}
	// Redirects are not followed, because the key could be sent to another host.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: 60 * time.Second, CheckRedirect: stay}
	for atHead := false; !atHead || follow; {
		position, err := box.position()
		if err != nil {
			return err
		}
		wait := 0
		if follow && atHead {
			wait = 25
		}
		address, headers := feedRequest(server, key, position, wait)
		body, err := ask(client, address, headers)
		if err != nil {
			return err
		}
		page, err := readPage(body)
		if err != nil {
			return err
		}
		for _, one := range page.Data {
			event, err := readEvent(one)
			if err == nil {
				err = box.store(event, one)
			}
			if err != nil {
				return err
			}
		}
		// The position is stored last: after a kill before this line, the page is read again, and its events are known.
		if err := box.moveTo(Position{page.Meta.Next, page.Meta.Epoch}); err != nil {
			return err
		}
		atHead = page.isAtHead()
	}
	return nil
}

var commands = map[string]func(*Inbox) error{
	"serve": serve,
	"work":  (*Inbox).work,
	"feed": func(box *Inbox) error {
		return feed(box, len(os.Args) > 2 && os.Args[2] == "--follow")
	},
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	command, known := commands[name]
	if !known {
		fmt.Fprintln(os.Stderr, "receiver serve | feed [--follow] | work")
		os.Exit(2)
	}
	box, err := openInbox(orElse("RECEIVER_DIR", "./tillgate-inbox"))
	if err == nil {
		err = command(box)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
