#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { listenHttp } from './http.ts'
import { createServer } from './server.ts'

const usage = `tillgate-mcp: reads a Tillgate server for a language model, and changes nothing.

  TILLGATE_URL=https://pos.example TILLGATE_KEY=tg_live_… tillgate-mcp
      over stdin and stdout, for a program that starts it

  TILLGATE_URL=https://pos.example tillgate-mcp --http 127.0.0.1:4750
      streamable HTTP at /mcp; it holds no key: each caller sends its own, Authorization: Bearer tg_live_…
`

const { values } = parseArgs({ options: { http: { type: 'string' }, help: { type: 'boolean' } } })
const url = process.env['TILLGATE_URL'] ?? ''
const key = process.env['TILLGATE_KEY'] ?? ''

if (values.help || url === '' || (values.http === undefined && key === '')) {
  process.stderr.write(usage)
  process.exit(values.help ? 0 : 2)
}
if (values.http === undefined) await createServer({ url, key }).connect(new StdioServerTransport())
else process.stderr.write(`listening on ${await listenHttp(values.http, url)}\n`)
