<?php
/*
Receives the events of Tillgate. Requires only PHP 8.1 or later (64 bits).

    the endpoint: serve this file by php-fpm or Apache; to try it, php -S 127.0.0.1:3000 receiver.php
    php receiver.php work [--follow]  process the events of the inbox, once or continuously: from cron, or as a service
    php receiver.php feed [--follow]  fetch the events after the last number from the feed, once or continuously

Settings are variables: WEBHOOK_SECRETS (one or more, separated by spaces), TILLGATE_URL and TILLGATE_KEY for the feed,
RECEIVER_DIR (./tillgate-inbox; not below the document root).

Each event is a file in the inbox, which is named after its sequence and id and created once. So ids are remembered, and
a delivery is answered before the work is done. A processed event is moved to done/. Change handle() to what you need. It
is called again with the same event if the process is killed during the call.
*/
declare(strict_types=1);

const LARGEST_BODY = 4_194_304;

/** Does your work. Throw an exception to process the event again. */
function handle(object $event): void
{
    echo "$event->type $event->sequence $event->id\n";
}

/** Thrown if a request is not a delivery of Tillgate; the text states the reason. */
final class Refused extends Exception
{
}

/** Returns the key of a secret. With an empty or short secret, such as an unset variable, anybody could sign. */
function key_of(string $secret): string
{
    $key = preg_match('/^whsec_[A-Za-z0-9+\/]+={0,2}$/D', $secret) ? base64_decode(substr($secret, strlen('whsec_')), true) : false;
    if ($key === false || strlen($key) < 24 || strlen($key) > 64 || base64_encode($key) !== substr($secret, strlen('whsec_'))) {
        throw new RuntimeException('a secret must be whsec_ followed by 24 to 64 bytes in base64');
    }
    return $key;
}

/** Verifies a signature of Standard Webhooks 1.0 over the raw bytes of the body. Names of `$headers` are in lower case. */
function verify(array $secrets, array $headers, string $body, ?int $now = null, int $tolerance = 300): void
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $signatures = $headers['webhook-signature'] ?? '';
    if ($id === '' || $timestamp === '' || $signatures === '') {
        throw new Refused('header_missing');
    }
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > $tolerance) {
        throw new Refused('timestamp_off');
    }
    foreach ($secrets as $secret) {
        $key = key_of($secret);
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $signatures) as $one) {
            if (hash_equals($expected, $one)) {
                return;
            }
        }
    }
    throw new Refused('signature_wrong');
}

/** Reads the event in a body. Checks the id, which becomes the name of a file. */
function read_event(string $body): object
{
    $event = json_decode($body);
    $known = is_object($event) && is_string($event->id ?? null) && preg_match('/^[A-Za-z0-9_-]{1,200}$/D', $event->id);
    if (!$known || !is_int($event->sequence ?? null) || $event->sequence < 0 || !is_string($event->type ?? null)) {
        throw new Refused('body_invalid');
    }
    return $event;
}

/** Returns whether an event is from the test operation, by its signed id: the header `webhook-test` is not signed. */
function is_test(object $event): bool
{
    return str_contains($event->id, '_00000000_');
}

/** Stores events on disk, each once. */
final class Inbox
{
    private string $inbox;
    private string $done;

    public function __construct(private string $folder)
    {
        $this->inbox = "$folder/inbox";
        $this->done = "$folder/done";
        foreach ([$this->inbox, $this->done] as $path) {
            if (!is_dir($path) && !@mkdir($path, 0700, true) && !is_dir($path)) {
                throw new RuntimeException("$path cannot be made");
            }
        }
    }

    /** Stores an event; returns false if it is known. On return the event is on disk, so a kill does not lose it. */
    public function store(object $event, string $body): bool
    {
        $name = sprintf('%016d-%s.json', $event->sequence, $event->id);
        $written = $this->write($body);
        $isNew = @link($written, "$this->inbox/$name");
        unlink($written);
        if (!$isNew && !file_exists("$this->inbox/$name") && !file_exists("$this->done/$name")) {
            throw new RuntimeException('the event cannot be kept');
        }
        if ($isNew && file_exists("$this->done/$name")) {
            unlink("$this->inbox/$name");
            return false;
        }
        return $isNew;
    }

    private function write(string $body): string
    {
        $path = "$this->inbox/." . bin2hex(random_bytes(12));
        $file = fopen($path, 'xb');
        if ($file === false || fwrite($file, $body) !== strlen($body) || !fsync($file)) {
            throw new RuntimeException("$path cannot be written");
        }
        fclose($file);
        return $path;
    }

    /** Processes all events in the inbox, the lowest sequence first. */
    public function work(): void
    {
        foreach (scandir($this->inbox) as $name) {
            if ($name[0] === '.') {
                continue;
            }
            if (!file_exists("$this->done/$name")) {
                handle(json_decode(file_get_contents("$this->inbox/$name"), false, 512, JSON_THROW_ON_ERROR));
            }
            rename("$this->inbox/$name", "$this->done/$name");
        }
    }

    /** Returns the position in the feed up to which events are stored: [after, epoch]. */
    public function position(): array
    {
        $path = "$this->folder/position.json";
        $known = file_exists($path) ? json_decode(file_get_contents($path), false, 8, JSON_THROW_ON_ERROR) : null;
        return [$known->after ?? 0, $known->epoch ?? ''];
    }

    public function moveTo(int $after, string $epoch): void
    {
        rename($this->write(json_encode(['after' => $after, 'epoch' => $epoch])), "$this->folder/position.json");
    }
}

/** Responds as soon as the event is on disk; `php receiver.php work` does the work later. */
function endpoint(): void
{
    [$status, $text] = receive();
    http_response_code($status);
    header('Content-Type: text/plain');
    echo $text;
}

function receive(): array
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        header('Allow: POST');
        return [405, 'POST only'];
    }
    $body = file_get_contents('php://input', false, null, 0, LARGEST_BODY + 1);
    if (strlen($body) > LARGEST_BODY) {
        return [413, 'the body is too large'];
    }
    $headers = [];
    foreach (['id', 'timestamp', 'signature'] as $name) {
        $headers["webhook-$name"] = (string) ($_SERVER['HTTP_WEBHOOK_' . strtoupper($name)] ?? '');
    }
    try {
        verify(secrets(), $headers, $body);
        $event = read_event($body);
    } catch (Refused $reason) {
        return [400, $reason->getMessage()];
    }
    try {
        if (!is_test($event)) {
            inbox()->store($event, $body);
        }
        return [204, ''];
    } catch (Throwable $error) {
        error_log($error->getMessage());
        return [500, 'the event could not be kept'];
    }
}

function secrets(): array
{
    $secrets = preg_split('/\s+/', (string) getenv('WEBHOOK_SECRETS'), -1, PREG_SPLIT_NO_EMPTY);
    try {
        if ($secrets === []) {
            throw new RuntimeException();
        }
        array_map('key_of', $secrets);
        return $secrets;
    } catch (RuntimeException) {
        throw new RuntimeException('set WEBHOOK_SECRETS to the secret of the webhook: whsec_ followed by 24 to 64 bytes in base64; separate several with spaces');
    }
}

function inbox(): Inbox
{
    return new Inbox(getenv('RECEIVER_DIR') ?: './tillgate-inbox');
}

/** Returns the URL and the headers of a request for the events after a sequence. */
function feed_request(string $url, string $key, int $after, string $epoch, int $wait): array
{
    $query = ['after' => $after, 'limit' => 500, 'wait' => $wait] + ($epoch === '' ? [] : ['epoch' => $epoch]);
    return [rtrim($url, '/') . '/v1/events/?' . http_build_query($query), ['x-api-key' => $key]];
}

/** Reads the events of a page, and the position at which to continue: [events, after, epoch, is at the head]. */
function read_page(string $body): array
{
    $page = json_decode($body, false, 512, JSON_THROW_ON_ERROR);
    return [$page->data, $page->meta->next, $page->meta->epoch, $page->meta->next >= $page->meta->head];
}

/** Reads the content of a response that is not a success: [code, detail, request id]. */
function read_problem(int $status, string $body): array
{
    $problem = json_decode($body);
    return isset($problem->code, $problem->detail, $problem->requestId)
        ? [$problem->code, $problem->detail, $problem->requestId]
        : ['unexpected_answer', "the server answered $status", ''];
}

/** Returns the milliseconds until a retry, or null if it does not help. Status 0 means that there is no response. */
function wait_before_retry(int $status, string $retryAfter, int $attempt, float $chance): ?int
{
    if ($status > 0 && $status < 500 && $status !== 408 && $status !== 429) {
        return null;
    }
    $asked = preg_match('/^[0-9]+$/D', $retryAfter) ? (int) $retryAfter * 1000 : 0;
    return max($asked, (int) floor($chance * min(10_000, 200 * 2 ** min($attempt, 16))));
}

/** Sends a request until there is a response. Ends the program if a retry does not help. */
function ask(string $url, array $headers): string
{
    $lines = array_map(fn ($name) => "$name: $headers[$name]", array_keys($headers));
    $http = ['header' => $lines, 'timeout' => 60, 'ignore_errors' => true, 'follow_location' => 0];
    for ($attempt = 0; ; $attempt++) {
        $http_response_header = [];
        $body = @file_get_contents($url, false, stream_context_create(['http' => $http]));
        $status = preg_match('/^HTTP\/\S+ (\d{3})/', $http_response_header[0] ?? '', $found) ? (int) $found[1] : 0;
        if ($status === 200 && $body !== false) {
            return $body;
        }
        $after = implode(' ', preg_filter('/^retry-after:\s*/i', '', $http_response_header));
        $wait = wait_before_retry($status === 200 ? 0 : $status, $after, $attempt, mt_rand() / mt_getrandmax());
        if ($wait === null) {
            // 409 epoch_changed and sequence_ahead need a decision by a person: docs/webhooks, "Read the feed".
            fprintf(STDERR, "%s: %s (request %s)\n", ...read_problem($status, (string) $body));
            exit(1);
        }
        usleep($wait * 1000);
    }
}

function feed(Inbox $inbox, bool $follow): void
{
    [$url, $key] = [(string) getenv('TILLGATE_URL'), (string) getenv('TILLGATE_KEY')];
    if (!preg_match('~^https?://~', $url) || $key === '') {
        fwrite(STDERR, "set TILLGATE_URL to the URL of the server, such as https://pos.example, and TILLGATE_KEY to a key of the scope read\n");
        exit(1);
    }
    for ($atHead = false; !$atHead || $follow;) {
        [$after, $epoch] = $inbox->position();
        $wait = $follow && $atHead ? 25 : 0;
        $body = ask(...feed_request($url, $key, $after, $epoch, $wait));
        [$events, $after, $epoch, $atHead] = read_page($body);
        foreach ($events as $event) {
            $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR;
            $inbox->store($event, json_encode($event, $flags));
        }
        // The position is stored last: after a kill before this line, the page is read again, and its events are known.
        $inbox->moveTo($after, $epoch);
    }
}

function main(array $arguments): void
{
    $follow = in_array('--follow', $arguments, true);
    switch ($arguments[1] ?? '') {
        case 'feed':
            feed(inbox(), $follow);
            break;
        case 'work':
            do {
                inbox()->work();
                $follow && sleep(1);
            } while ($follow);
            break;
        default:
            fwrite(STDERR, "php receiver.php work [--follow] | feed [--follow]\n");
            exit(2);
    }
}

if (PHP_SAPI !== 'cli') {
    endpoint();
} elseif (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    main($argv);
}
