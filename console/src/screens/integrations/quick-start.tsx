import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { useT } from '../../i18n/language.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Choose } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'

const lastOrders = (url: string) => `${url}/v1/orders/?sort=-createdAt&size=10`

/** The first request in the languages of partners, without the key. Each is a complete program. */
const snippets = {
  curl: (url: string) => `curl -H "X-API-Key: $KEY" '${lastOrders(url)}'`,
  JavaScript: (url: string) => `import { Tillgate } from '@tillgate/client'

const tillgate = new Tillgate({ url: '${url}', key: process.env.KEY })
for await (const event of tillgate.events({ after: 0, types: ['order.paid'] })) {
  console.log(event.sequence, event.data.total)
}`,
  Python: (url: string) => `import json, os, urllib.request

request = urllib.request.Request(
    '${lastOrders(url)}',
    headers={'X-API-Key': os.environ['KEY']},
)
with urllib.request.urlopen(request) as answer:
    for order in json.load(answer)['data']:
        print(order['orderNumber'], order['total'])`,
  PHP: (url: string) => `<?php
$context = stream_context_create(['http' => ['header' => 'X-API-Key: ' . getenv('KEY')]]);
$page = json_decode(file_get_contents('${lastOrders(url)}', false, $context));
foreach ($page->data as $order) echo $order->orderNumber, ' ', $order->total, PHP_EOL;`,
  Go: (url: string) => `package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", "${lastOrders(url)}", nil)
	request.Header.Set("X-API-Key", os.Getenv("KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	io.Copy(os.Stdout, answer.Body)
}`,
} as const

type Name = keyof typeof snippets

export function QuickStart() {
  const { key: t, common } = useT()
  const { server } = useSession()
  const [name, setName] = useState<Name>('curl')
  const text = snippets[name](server.baseUrl.replace(/\/+$/, ''))
  const names = Object.keys(snippets) as Name[]
  return (
    <Box title={t.quickStart} aside={<Copy text={text} label={common.copy} />}>
      <Choose label={t.language} value={name} choices={names.map((one) => [one, one] as const)} onChange={setName} />
      <pre
        role="region"
        aria-label={t.quickStart}
        tabIndex={0}
        style={{ padding: '0.8rem', background: 'var(--sunken)', borderRadius: 'var(--radius)' }}
      >
        {text}
      </pre>
    </Box>
  )
}
