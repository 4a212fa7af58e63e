import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandsOf, faultOfAnswer } from '../../../../../src/core/store/db/driver/answers.ts'

// PostgreSQL 18, "Message Formats", CommandComplete; the response to CREATE TABLE AS is SELECT.
const right: [string, string][] = [
  ['select 1', 'SELECT'],
  ['\n    with a as (select 1) insert into t select 1', 'INSERT'],
  ['with a as (delete from t returning 1) select * from a', 'SELECT'],
  ['(select 1) union all (select 2)', 'SELECT'],
  ['insert into t values (1)', 'INSERT'],
  ['update t set a = 1', 'UPDATE'],
  ['create table t (a int)', 'CREATE TABLE'],
  ['create table t as select 1', 'SELECT'],
  ['commit', 'ROLLBACK'],
  ['begin isolation level repeatable read read only', 'BEGIN'],
]

for (const [text, command] of right) {
  test(`${command} is an answer to: ${text.trim()}`, () =>
    assert.equal(faultOfAnswer(commandsOf(text), command), undefined))
}

const wrong: [string, string | null][] = [
  ['select 1', 'COMMIT'],
  ['select 1', null],
  ['select 1', 'INSERT'],
  ['update t set a = 1', 'SELECT'],
  ['insert into t values (1)', 'COMMIT'],
  ['with a as (select 1) select 1', 'COMMIT'],
]

for (const [text, command] of wrong) {
  test(`${command} is not an answer to: ${text}`, () => assert.ok(faultOfAnswer(commandsOf(text), command)))
}
