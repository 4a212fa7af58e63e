import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { startApp } from '../../support/app.ts'

test('a client that stalls during a TLS handshake is disconnected, and logged', async () => {
  const app = await startApp()
  const server = createServer((accepted) => {
    // As Node's server does when the handshake takes too long.
    const late = Object.assign(new Error('TLS handshake timeout'), { code: 'ERR_TLS_HANDSHAKE_TIMEOUT' })
    app.app.server.emit('clientError', late, new TLSSocket(accepted, { isServer: true }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.resume().write(Buffer.from('16030100', 'hex'))
  await once(client, 'close')
  const [line] = app.lines.slice(-1)
  assert.deepEqual([line?.['code'], line?.['reason']], ['request_timeout', 'ERR_TLS_HANDSHAKE_TIMEOUT'])
  server.close()
})
