import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { lookUpName } from '../../../../src/core/delivery/sender/name-lookup.ts'
import { createSender } from '../../../../src/core/delivery/sender/send.ts'
import { parseAddressRange, type AddressRange } from '../../../../src/core/domain/addresses/addresses.ts'
import { startNameServer } from '../../../support/name-server.ts'
import { startReceiver } from '../../../support/receiver.ts'
import { eventually } from '../../../support/waiting.ts'

const server = await startNameServer({ 'well.test': ['127.0.0.1', '127.0.0.2'], 'empty.test': [] })
const directory = await mkdtemp(join(tmpdir(), 'tillgate-names-'))
const hostsFile = join(directory, 'hosts')
await writeFile(
  hostsFile,
  '# well.test 9.9.9.9\n10.1.2.3 one.test Two.test # three.test\nfd00::1\tone.test\nbad one.test\n',
)
after(async () => {
  await server.close()
  await rm(directory, { recursive: true })
})

const options = { servers: [server.address], hostsFile }

test('a name is looked up in the hosts file first, in any spelling, and then at the name servers', async () => {
  assert.deepEqual(await lookUpName('one.test', options), [
    { address: '10.1.2.3', family: 4 },
    { address: 'fd00::1', family: 6 },
  ])
  assert.deepEqual(await lookUpName('TWO.test.', options), [{ address: '10.1.2.3', family: 4 }])
  assert.ok(!server.queries.includes('one.test'))
  assert.deepEqual(await lookUpName('well.test', options), [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ])
})

test('localhost is this machine without a look-up, and a missing hosts file counts as empty', async () => {
  const nowhere = { ...options, hostsFile: join(directory, 'missing') }
  const addresses = (await lookUpName('localhost', nowhere)).map(({ address }) => address)
  assert.deepEqual(addresses, ['127.0.0.1', '::1'])
  assert.ok(!server.queries.includes('localhost'))
})

test('a name without an address is an error', async () => {
  await assert.rejects(lookUpName('empty.test', options), { code: 'ENODATA' })
})

test('names whose server does not answer delay no delivery to another name', async () => {
  const receiver = await startReceiver()
  const ranges = [parseAddressRange('127.0.0.0/8') as AddressRange]
  const sender = createSender({ allowHttp: true, allowAddresses: ranges, lookup: (name) => lookUpName(name, options) })
  const post = (name: string) => {
    const url = receiver.url('/').replace('127.0.0.1', name)
    return sender.send({ url, headers: {}, body: Buffer.from('{}') })
  }
  let ended = 0
  const silent = Array.from({ length: 40 }, (_, i) => post(`silent-${i}.test`).finally(() => (ended += 1)))
  await eventually(() => server.queries.filter((name) => name.startsWith('silent-')).length >= 40, 'all are looked up')
  const outcome = await post('well.test')
  assert.deepEqual([outcome.ok, outcome.address], [true, '127.0.0.1'])
  // With `getaddrinfo`, the name that can be resolved would be answered last.
  assert.ok(ended < 40)
  await sender.close()
  for (const { errorClass } of await Promise.all(silent)) assert.ok(errorClass !== null)
  await receiver.close()
})
