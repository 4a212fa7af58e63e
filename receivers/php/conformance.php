<?php
/* Answers the conformance vectors: inputs by kind on stdin, results by kind on stdout. */
declare(strict_types=1);

require __DIR__ . '/receiver.php';

$kinds = [
    'signature' => function (object $given): string {
        $headers = ['webhook-id' => $given->id, 'webhook-timestamp' => $given->timestamp, 'webhook-signature' => $given->signature];
        try {
            verify(explode(' ', $given->secrets), $headers, $given->body, $given->now);
            return 'ok';
        } catch (Refused $reason) {
            return $reason->getMessage();
        }
    },
    'event' => function (object $given): array|string {
        try {
            $event = read_event($given->body);
        } catch (Refused $reason) {
            return $reason->getMessage();
        }
        $kept = ['id' => $event->id, 'type' => $event->type, 'timestamp' => $event->timestamp];
        return $kept + ['locationId' => $event->locationId, 'sequence' => $event->sequence, 'isTest' => is_test($event)];
    },
    'request' => function (object $given): array {
        [$url, $headers] = feed_request($given->url, $given->key, $given->after, $given->epoch, $given->wait);
        return ['url' => $url, 'headers' => $headers];
    },
    'page' => function (object $given): array {
        [$events, $after, $epoch, $atHead] = read_page($given->body);
        return ['ids' => array_column($events, 'id'), 'after' => $after, 'epoch' => $epoch, 'isAtHead' => $atHead];
    },
    'error' => fn (object $given) => array_combine(['code', 'detail', 'requestId'], read_problem($given->status, $given->body)),
    'retry' => fn (object $given) => wait_before_retry($given->status, $given->retryAfter, $given->attempt, (float) $given->random),
];
$results = [];
foreach (json_decode(stream_get_contents(STDIN), false, 512, JSON_THROW_ON_ERROR) as $kind => $inputs) {
    $results[$kind] = array_map($kinds[$kind], $inputs);
}
echo json_encode($results, JSON_THROW_ON_ERROR);
