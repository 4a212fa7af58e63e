import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingNames, settings } from '../../../../src/core/config.ts'
import { unknownVariables } from '../../../../src/core/cli/terminal/variables.ts'
import { createDataDir, tillgate } from '../../../support/cli.ts'

test('an unknown variable is named, with the probably meant one', async () => {
  assert.deepEqual(
    await unknownVariables({
      TILLGATE_PROT: '80',
      TILLGATE_PUBLICURL: 'x',
      TILLGATE_COLOUR: 'red',
      TILLGATE_URL: 'x',
      PATH: '/',
    }),
    [
      'TILLGATE_COLOUR is not a setting of Tillgate and has no effect',
      'TILLGATE_PROT is not a setting of Tillgate and has no effect; did you mean TILLGATE_PORT?',
      'TILLGATE_PUBLICURL is not a setting of Tillgate and has no effect; did you mean TILLGATE_PUBLIC_URL?',
      'TILLGATE_URL is read by receivers and the MCP server, not by this program: use --url',
    ],
  )
})

test('no warning names a setting, or a variable that Kubernetes sets for a service of that name', async () => {
  const linked = ['TILLGATE_SERVICE_HOST', 'TILLGATE_SERVICE_PORT_HTTP', 'TILLGATE_PORT_4747_TCP_ADDR', 'TILLGATE_PORT']
  const names = [...settingNames.map((name) => settings[name].env), ...linked, 'TILLGATE_KEY', 'TILLGATE_DEBUG']
  assert.deepEqual(await unknownVariables(Object.fromEntries(names.map((name) => [name, 'x']))), [])
})

test('a command warns on stderr and continues, and its help does not warn', async () => {
  const dataDir = await createDataDir()
  const env = { TILLGATE_DATA_DRI: '/nowhere', TILLGATE_DATA_DIR: dataDir }
  const { stdout, stderr } = await tillgate(['doctor', '--json'], { env })
  assert.match(stderr, /^warning: TILLGATE_DATA_DRI is not a setting .*; did you mean TILLGATE_DATA_DIR\?\n/)
  assert.ok(stdout.length > 0 || stderr.split('\n').length > 2)
  const help = await tillgate(['doctor', '--help'], { env })
  assert.deepEqual([help.code, help.stderr], [0, ''])
})
