import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

const rows = textOf('docs/modules/verified.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.slice(2, -2).split(' | '))

/** Returns the text of a code span, which is between back quotes. */
const codeOf = (cell = '') => cell.slice(1, -1)

test('each sentence with a claim is in its source, and has a check and an existing test', () => {
  assert.ok(rows.length >= 15)
  for (const [sentence, source, check = '', , tests = ''] of rows) {
    assert.ok(textOf(codeOf(source)).includes(codeOf(sentence)), `${source} does not say ${sentence}`)
    assert.ok(check.length > 10, `${sentence} has no check`)
    const cited = [...tests.matchAll(/`(test\/[^`]+)` “([^”]+)”/g)]
    assert.ok(cited.length > 0, `${sentence} has no test`)
    for (const [, file = '', title = ''] of cited) {
      assert.ok(existsSync(join(root, file)), file)
      assert.ok(textOf(file).includes(title), `${file} has no test “${title}”`)
    }
  }
})

/** Returns sentences printed by the command line that contain a word for a claim. */
function claims(): string[] {
  const files = globSync('{src/core,src/modules/*,simulator}/cli/**/*.ts', { cwd: root })
  return files.flatMap((name) => {
    const text = readFileSync(join(root, name), 'utf8')
    const printed = text.matchAll(
      /(?:print|note|printPainted)\(\s*(?:paint\('\w+', )?([`'][^`\n]*\b(?:verified|intact|Ready|unchanged|proven)\b[^\n]*)/g,
    )
    return [...printed].map(([, text = '']) => `${name}: ${text}`)
  })
}

/** Output with one of these words that claims nothing: counts of verdicts, and failed actions. */
const harmless = [
  /cli\/(import|simulate|console)/,
  /could not be (stored|recorded)/,
  /Reading everything: verified positions/,
]

test('every claim that the command line prints is in the table', () => {
  const known = rows.map(([sentence]) => codeOf(sentence))
  const others = claims().filter(
    (text) => !harmless.some((one) => one.test(text)) && !known.some((one) => text.includes(one)),
  )
  assert.deepEqual(others, [], 'give it a row in docs/modules/verified.md, with the check behind it')
})
