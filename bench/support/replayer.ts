import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer, startChild, type Child } from './child.ts'

/** Responses by path, including the query, with their original headers and bytes. */
export type Recording = Record<string, { contentType: string; base64: string }>

/** Starts the limit of any server in Node: a bare `node:http` that sends prepared bytes to every caller. */
export async function startReplayer(recording: Recording): Promise<{ url: string; child: Child }> {
  const child = startChild(import.meta.filename)
  return { url: await child.ask<string>('listen', recording), child }
}

function serve(): void {
  answer({
    listen: async (recording: Recording) => {
      const answers = new Map(
        Object.entries(recording).map(([path, { contentType, base64 }]) => {
          const body = Buffer.from(base64, 'base64')
          return [path, { body, headers: { 'content-type': contentType, 'content-length': body.length } }]
        }),
      )
      const server = createServer((request, response) => {
        const found = answers.get(request.url ?? '')
        if (found) response.writeHead(200, found.headers).end(found.body)
        else response.writeHead(404).end()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
  })
}

if (import.meta.main) serve()
