import { parseArgs } from 'node:util'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { listenHttp } from './http.ts'
import { createServer } from './server.ts'

const usage = `Reads a Tillgate server for a language model over the Model Context Protocol. It changes nothing.

  TILLGATE_URL=https://pos.example TILLGATE_KEY=tg_live_… node tillgate-mcp.mjs
      over stdin and stdout, for a program that starts it

  TILLGATE_URL=https://pos.example node tillgate-mcp.mjs --http 127.0.0.1:4750
      streamable HTTP at /mcp, without a key of its own: each caller sends one as Authorization: Bearer tg_live_…
`

const { values } = parseArgs({ options: { http: { type: 'string' }, help: { type: 'boolean' } } })
const url = process.env['TILLGATE_URL'] ?? ''
const key = process.env['TILLGATE_KEY'] ?? ''

const lacks = url === '' ? 'TILLGATE_URL' : values.http === undefined && key === '' ? 'TILLGATE_KEY' : undefined
if (values.help) process.stdout.write(usage)
else if (lacks !== undefined) {
  process.stderr.write(`error: ${lacks} is not set\n\n${usage}`)
  process.exitCode = 2
} else if (values.http === undefined) await createServer({ url, key }).connect(new StdioServerTransport())
else process.stderr.write(`listening on ${await listenHttp(values.http, url)}\n`)
