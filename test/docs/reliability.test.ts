import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultNames, isExcluded } from '../support/matrix/faults.ts'
import { readOutcomes, withTable } from '../support/matrix/outcomes.ts'
import { topologyNames } from '../support/matrix/topologies.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operate/reliability.md'), 'utf8')

const flat = (text: string) => text.replaceAll(/[ -]+/g, ' ')

test('the table of docs/operate/reliability.md states the results of its runs, and which cells were not run', () => {
  assert.equal(flat(withTable(page, readOutcomes())), flat(page))
})

test('every result belongs to an existing cell, and states its seed and its date', () => {
  for (const { topology, fault, seed, date, seconds, counts } of readOutcomes()) {
    assert.ok(topologyNames.includes(topology) && faultNames.includes(fault), `${topology} × ${fault}`)
    assert.equal(isExcluded(topology, fault), false)
    assert.match(date, /^\d{4}-\d\d-\d\d$/)
    assert.ok(Number.isInteger(seed) && seconds > 0)
    assert.ok(counts === null || counts.acknowledged >= 40, `${topology} × ${fault} says too little`)
  }
})
