import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type NameServer = {
  /** In the form that `Resolver.setServers` takes. */
  address: string
  /** Queried names, one entry per query. */
  queries: string[]
  close(): Promise<void>
}

/** Reads the name and the type in the question of a DNS message, and the end of the question. */
function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** Starts a server that answers with IPv4 addresses for known names, and never for unknown names. */
export async function startNameServer(names: Record<string, string[]>): Promise<NameServer> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (message, { address, port }) => {
    const { name, type, end } = questionOf(message)
    queries.push(name)
    const addresses = names[name.toLowerCase()]
    if (!addresses) return
    const given = type === 1 ? addresses : []
    const head = Buffer.from(message.subarray(0, end))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(given.length, 6)
    head.writeUInt32BE(0, 8)
    // Each answer has a pointer to the name, type A, class IN, 60 seconds, and four bytes.
    const answers = given.map((one) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...one.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([head, ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
