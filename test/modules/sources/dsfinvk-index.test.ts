import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unreadable } from '../../../src/modules/sources/adapters/adapter.ts'
import { Tables } from '../../../connectors/dsfinvk/tables.ts'

const open = (xml: string, parts = 1) =>
  Tables.open(
    [
      {
        name: 'export/index.xml',
        async *read() {
          for (let i = 0; i < parts; i++) yield Buffer.from(xml)
        },
      },
    ],
    {} as Parameters<typeof Tables.open>[1],
  )

const table = '<Table><URL>lines.csv</URL><VariableColumn><Name>A</Name></VariableColumn></Table>'

test('an index that was made to harm is refused by name, at once', async () => {
  const harmful: [string, RegExp][] = [
    ['<Table>'.repeat(100_000), /index\.xml is not whole: <Table> has no end/],
    [
      `${table}<Table>${'<VariableColumn>'.repeat(40_000)}</Table>`,
      /index\.xml is not whole: <VariableColumn> has no end/,
    ],
    ['<Table><URL>&#99999999999;</URL></Table>', /index\.xml has &#99999999999;, which is no character/],
  ]
  for (const [xml, says] of harmful) {
    const began = process.cpuUsage()
    await assert.rejects(open(xml), (error: Error) => error instanceof Unreadable && says.test(error.message))
    const { user } = process.cpuUsage(began)
    assert.ok(user < 1_000_000, `${xml.length} characters took ${user / 1_000} ms of the processor`)
  }
  await assert.rejects(open('x'.repeat(2 ** 19), 3), /export\/index\.xml has more than 1 MiB/)
})

test('no entity is expanded but the five of XML and characters by number', async () => {
  const entity = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
  assert.ok(await open(`${entity}${table.replace('lines.csv', '&a;&#65;&amp;.csv')}`))
})
