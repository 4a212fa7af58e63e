import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Unreadable } from '../../../src/modules/sources/adapters/adapter.ts'
import type { Scratch } from '../../../src/modules/sources/adapters/scratch.ts'
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

test('a malicious index is refused at once, and the message names it', async () => {
  const harmful: [string, RegExp][] = [
    ['<Table>'.repeat(100_000), /index\.xml:1:\d+: unclosed tag: Table/],
    [
      `<DataSet>${table}<Table>${'<VariableColumn>'.repeat(40_000)}</Table></DataSet>`,
      /index\.xml:1:\d+: unexpected close tag/,
    ],
    ['<Table><URL>&#99999999999;</URL></Table>', /index\.xml:1:\d+: malformed character entity/],
    [`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${table.replace('lines.csv', '&a;')}`, /undefined entity/],
  ]
  for (const [xml, says] of harmful) {
    const began = process.cpuUsage()
    await assert.rejects(open(xml), (error: Error) => error instanceof Unreadable && says.test(error.message))
    const { user } = process.cpuUsage(began)
    assert.ok(user < 1_000_000, `${xml.length} characters took ${user / 1_000} ms of the processor`)
  }
  await assert.rejects(open('x'.repeat(2 ** 19), 3), /export\/index\.xml exceeds 1 MiB/)
})

test('the index is read as XML: comments, attributes, CDATA, prefixes and character references', async () => {
  const index = `<?xml version="1.0" encoding="utf-8"?>
    <!DOCTYPE DataSet SYSTEM "gdpdu-01-09-2004.dtd">
    <DataSet><!-- <Table><URL>old.csv</URL></Table> --><Media>
      <Table id="1"><URL><![CDATA[lines]]>&#46;csv</URL><UTF8 /><Range><From>2</From></Range>
        <VariableLength><ColumnDelimiter>,</ColumnDelimiter>
          <VariablePrimaryKey><Name>Z_KASSE_ID</Name></VariablePrimaryKey>
          <VariableColumn><Name> A &amp; B </Name></VariableColumn>
        </VariableLength></Table></Media></DataSet>`
  const lines = { name: 'lines.csv', read: () => Readable.from([Buffer.from('Z_KASSE_ID,A & B\n1,é\n')]) }
  const rows: unknown[] = []
  const scratch = { addRow: (...row: unknown[]) => void rows.push(row) } as unknown as Scratch
  const tables = await Tables.open(
    [{ name: 'index.xml', read: () => Readable.from([Buffer.from(index)]) }, lines],
    scratch,
  )
  await tables.read('lines', (row) => row.text('A & B'), true)
  assert.deepEqual(rows, [['lines', 'é', { file: 0, line: 2, cells: ['1', 'é'] }]])
  await assert.rejects(
    tables.read('old', () => '', true),
    /old\.csv is missing/,
  )
})

test('thousands of nested elements take linear time', async () => {
  const began = process.cpuUsage()
  await open(`${'<Table>'.repeat(60_000)}${'</Table>'.repeat(60_000)}`)
  const { user } = process.cpuUsage(began)
  assert.ok(user < 2_000_000, `${user / 1_000} ms of the processor`)
})
