import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { modules } from '../src/modules/all.ts'

/** The import rules of ARCHITECTURE.md as linter rules, derived from these lists. */

/** Folders of the core, from the bottom up; folders of the same level do not import each other. */
const floors = [
  ['schemas'],
  ['domain'],
  ['store', 'embedded'],
  ['ingest', 'delivery'],
  ['acts'],
  ['http'],
  ['server'],
  ['cli'],
]

/** Subfolders of a folder of the core: each imports only those before it. */
const rooms: Record<string, readonly string[]> = {
  domain: ['days', 'addresses', 'accounts', 'documents', 'journal', 'redaction'],
  store: ['db', 'journal', 'documents', 'webhooks', 'pushes', 'accounts', 'repair'],
  ingest: ['write', 'receive'],
  http: ['guard', 'parameters', 'answers', 'reference', 'routes'],
}

/** Folders of the console, from the bottom up. */
const consoleFloors = [['i18n'], ['format'], ['api'], ['live'], ['parts'], ['shell', 'screens']]

const screens = readdirSync(join(import.meta.dirname, '../console/src/screens'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const driver = { group: ['pg'], message: 'only the store talks to the driver of the database' }

const above = (names: readonly string[]) => `^(\\.\\./)+(${names.join('|')})/`

type Pattern = { message: string } & ({ regex: string } | { group: string[] })

type Wall = { files: string[]; rules: { 'no-restricted-imports': ['error', { patterns: Pattern[] }] } }

const wall = (files: string, patterns: Pattern[]): Wall => ({
  files: [files],
  rules: { 'no-restricted-imports': ['error', { patterns }] },
})

const notIn = (whole: readonly string[], allowed: readonly string[]) => whole.filter((one) => !allowed.includes(one))

/** Code built on the core, which the core does not import. */
const capability = {
  regex: String.raw`^(\.\./)+(modules|connectors|simulator)/`,
  message: 'the core imports no module',
}

const everywhere: Pattern[] = [capability]

function coreWalls() {
  return floors.flatMap((floor, i) =>
    floor.flatMap((folder) => {
      const higher = notIn(floors.slice(i).flat(), [folder])
      const own = [
        ...everywhere,
        ...(folder === 'store' ? [] : [driver]),
        ...(higher.length > 0 ? [{ regex: above(higher), message: `${folder}/ is below this folder` }] : []),
      ]
      const inside = rooms[folder] ?? []
      return [
        wall(`src/core/${folder}/**`, own),
        ...inside.map((room, k) =>
          wall(`src/core/${folder}/${room}/**`, [
            ...own,
            ...(k + 1 < inside.length
              ? [{ regex: above(inside.slice(k + 1)), message: `${room}/ is below this room` }]
              : []),
          ]),
        ),
      ]
    }),
  )
}

/** Returns all modules that a module depends on, directly or not, and the module itself. */
function reach(name: string): string[] {
  const needs = modules.find((module) => module.name === name)?.needs ?? []
  return [...new Set([name, ...needs.flatMap(reach)])]
}

function moduleWalls() {
  const names = modules.map(({ name }) => name)
  return names.map((name) => {
    const others = notIn(names, reach(name))
    const folder = ['connectors', 'simulator'].includes(name) ? name : `src/modules/${name}`
    return wall(`${folder}/**`, [
      driver,
      { regex: `^(\\.\\./)+((src/)?modules/)?(${others.join('|')})/`, message: `${name} does not need this module` },
    ])
  })
}

const isOfConsole = { regex: above(['src', 'client', 'mcp']), message: 'the console imports only the client package' }

function consoleWalls() {
  return consoleFloors.flatMap((floor, i) =>
    floor.flatMap((folder) => {
      const higher = notIn(consoleFloors.slice(i).flat(), [folder])
      const own = [
        isOfConsole,
        ...(higher.length > 0 ? [{ regex: above(higher), message: `${folder}/ is below this folder` }] : []),
      ]
      if (folder !== 'screens') return [wall(`console/src/${folder}/**`, own)]
      return screens.map((group) =>
        wall(`console/src/screens/${group}/**`, [
          ...own,
          {
            regex: `^(\\.\\./)+(screens/)?(${notIn(screens, [group]).join('|')})/`,
            message: 'groups of screens share parts/',
          },
        ]),
      )
    }),
  )
}

export const walls = [wall('src/core/**', [...everywhere, driver]), ...coreWalls(), ...moduleWalls(), ...consoleWalls()]
