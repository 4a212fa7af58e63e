import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import { businessTime } from '../domain/days/business-time.ts'
import { settingsOf } from '../contract/location/settings.ts'
import { addLocation, changeLocation, locationFields, type LocationFields } from '../acts/locations.ts'
import type { Location, LocationSettings } from '../contract/location/schema.ts'
import { dataParts } from '../modules.ts'
import { listLocations, type LocationRow } from '../contract/location/rows.ts'
import { atTerminal } from './acts.ts'
import { withDatabase } from './database.ts'
import { newJournalOption, refuseDeleted } from './deleted-journal.ts'
import { addLocationSettings, readLocationSettings } from './location-settings.ts'
import { defineLocationStates } from './location-states.ts'
import { CliError } from '../server/errors.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { note, print, printJson, table } from './terminal/output.ts'

declare module '../modules.ts' {
  interface ModuleData {
    defineLocations?(command: Command): Promise<void>
  }
}

type CreateFlags = LocationFields & {
  name: string
  id?: string
  newJournal?: true
  json?: true
} & LocationSettings

/** Adds the options of a location's documented fields, except its name. */
function addFieldOptions(command: Command): Command {
  return command
    .option('--address <text>', 'street and number')
    .option('--zip <text>', 'postal code')
    .option('--city <text>', 'city')
    .option('--country <text>', 'country')
    .option('--phone <text>', 'telephone number')
    .option('--url <text>', 'web site')
    .option('--siret <text>', 'French establishment number')
    .option('--naf <text>', 'French activity code')
    .option('--tva <text>', 'European VAT number')
    .option('--text <text>', 'free text printed on tickets')
}

function assertNamed(name: string | undefined): void {
  if (name?.trim() === '') throw new CliError('usage', '--name must not be empty')
}

async function create(flags: CreateFlags): Promise<void> {
  assertNamed(flags.name)
  const settings = readLocationSettings(flags)
  const id = flags.id === undefined ? randomUUID() : readUuid('--id', flags.id)
  const given = givenFields(flags)
  await withDatabase(
    flags,
    async ({ pool }) => {
      if (flags.newJournal !== true) await refuseDeleted(pool, id)
      const made = await addLocation(atTerminal(pool), id, { fields: given, settings })
      if (!made) throw new CliError('location_exists', `location ${id} already exists: use another --id, or omit it`)
    },
    { creates: true },
  )
  if (flags.json) return printJson({ id, name: flags.name, ...settings })
  print(id)
  note(`Created ${flags.name}. A key for it: tillgate key create --location ${id} --scope read,ingest`)
}

type Devices = { retireDevice?: readonly string[]; returnDevice?: readonly string[] }

type UpdateFlags = Partial<LocationSettings> & LocationFields & Devices & { json?: true }

/**
 * Returns the devices out of service: adds the devices to retire, with the current business day, and removes the
 * devices to return. Throws `CliError` if a device to return was not out of service.
 */
function readRetired(row: LocationSettings, { retireDevice = [], returnDevice = [] }: Devices, now: Date) {
  const retired = new Map(Object.entries(row.retiredDevices))
  for (const device of returnDevice) {
    if (retired.delete(device)) continue
    const out = [...retired.keys()].join(', ') || 'none is'
    throw new CliError('usage', `--return-device must be a device that is out of service (${out}), not ${device}`)
  }
  for (const device of retireDevice) {
    if (device.trim() === '' || device.length > 200)
      throw new CliError('usage', '--retire-device must be the id or name of a device, with at most 200 characters')
    retired.set(device, businessTime(row).dayOf(now.getTime()))
  }
  return Object.fromEntries(retired)
}

const givenFields = (flags: LocationFields): LocationFields =>
  definedOnly(Object.fromEntries(locationFields.map((field) => [field, flags[field]])))

const collect = (value: string, before: readonly string[] = []) => [...before, value]

const changeable = [
  ...locationFields,
  'timeZone',
  'currency',
  'dayStartsAt',
  'fiscalYearStarts',
  'eReportingCategories',
  'paymentKinds',
  'reportNumbers',
  'retireDevice',
  'returnDevice',
] as const

/** Changes only the given fields. A change of the time zone or of the start of the day rebuilds the figures. */
async function update(given: string, flags: UpdateFlags): Promise<void> {
  const id = readUuid('the id', given)
  assertNamed(flags.name)
  if (!changeable.some((name) => flags[name] !== undefined)) {
    throw new CliError('usage', 'no change was given: see tillgate location update --help')
  }
  const { retireDevice, returnDevice, ...changes } = flags
  const now = new Date()
  const settingsFrom = (before: LocationSettings) => {
    const retiredDevices = readRetired(before, definedOnly({ retireDevice, returnDevice }), now)
    return readLocationSettings({ ...before, ...definedOnly(changes), retiredDevices })
  }
  const settled = await withDatabase(flags, ({ pool }) =>
    changeLocation(atTerminal(pool, now), id, { fields: givenFields(flags), settingsFrom }),
  )
  if (flags.json) return printJson({ id, ...settled })
  print(`updated ${id}`)
}

function definedOnly<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

const toLocation = (row: LocationRow) => {
  const { withoutDevices, deactivatedAt, deleteAt } = row
  return { ...(JSON.parse(withoutDevices) as Location), ...settingsOf(row), deactivatedAt, deleteAt }
}

async function list(flags: { json?: true }): Promise<void> {
  const locations = (await withDatabase(flags, ({ pool }) => listLocations(pool))).map(toLocation)
  if (flags.json) return printJson(locations)
  if (locations.length === 0) return note('There are no locations yet: see tillgate location create --help')
  const rows = locations.map(({ id, name, city, timeZone, currency, deactivatedAt, deleteAt }) => [
    id,
    name,
    city,
    timeZone,
    currency,
    deleteAt ? `deleted at ${deleteAt.toISOString().slice(0, 16)}Z` : deactivatedAt ? 'deactivated' : 'active',
  ])
  print(table(['ID', 'NAME', 'CITY', 'TIME ZONE', 'CURRENCY', 'STATE'], rows))
}

export async function define(command: Command): Promise<void> {
  const creating = command
    .command('create')
    .summary('Create a location')
    .description('Create a location and print its id, which keys and records refer to.')
    .requiredOption('--name <text>', 'name of the location')
    .option('--id <uuid>', 'id of the location, if the till has one (default: a new id)')
    .option(...newJournalOption)
  addSettings(addLocationSettings(addFieldOptions(creating)), databaseSettings).action(create)
  finish(creating, [
    'location create --name "Bistro Exemple" --city Paris',
    'location create --name "Bar Exemple" --time-zone Europe/Brussels --currency EUR --json',
  ])
  const updating = command
    .command('update')
    .summary('Change a location')
    .description(
      'Change the given fields of a location. If the time zone or the start of the day changes, its figures are rebuilt.',
    )
    .argument('<id>', 'id of the location, as location list shows it')
    .option('--name <text>', 'name of the location')
    .option(
      '--retire-device <device>',
      'id or name of a device to take out of service; days do not wait for it (repeatable)',
      collect,
    )
    .option('--return-device <device>', 'id or name of a device to put back into service (repeatable)', collect)
  addSettings(addLocationSettings(addFieldOptions(updating), {}), databaseSettings).action(update)
  finish(updating, [
    'location update 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --name "Bistro Exemple" --time-zone Europe/Zurich --currency CHF',
    'location update 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --day-starts-at 04:00 --json',
    'location update 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --retire-device "Caisse 3"',
    'location update 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --payment-kinds "Liquide bar=cash,Ticket Resto=meal_voucher"',
  ])
  const listing = addSettings(
    command.command('list').summary('List all locations').description('List all locations.'),
    databaseSettings,
  )
  listing.action(list)
  finish(listing, ['location list', 'location list --json'])
  for (const part of dataParts()) await part.defineLocations?.(command)
  defineLocationStates(command)
}
