import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandsPage, configurationPage } from '../../scripts/reference-pages.ts'
import { tillgate } from '../support/cli.ts'

const read = (page: string) => readFileSync(join(import.meta.dirname, '../../docs/operate', page), 'utf8')

test('the page of the commands is generated from the program: `npm run make -- openapi`', async () => {
  const help = async (args: readonly string[]) => (await tillgate([...args, '--help'])).stdout
  assert.equal(read('commands.md'), await commandsPage(help))
})

test('the page of the settings is generated from the program: `npm run make -- openapi`', () => {
  assert.equal(read('configuration.md'), configurationPage())
})
