import { Type, type Static } from 'typebox'
import { paymentKinds } from '../money/payment-kinds-schema.ts'
import { Choice, closed, Uuid } from '../scalars.ts'

/** The categories of transactions in French e-reporting (TT-81). */
export const eReportingCategories = ['TLB1', 'TPS1', 'TNT1', 'TMA1'] as const

export type EReportingCategory = (typeof eReportingCategories)[number]

/** Maximum length of a kind of service that can have a category, in characters. */
const longestFilter = 100

/** Maximum length of the name of a device or payment in the settings, in characters. */
const longestDevice = 200

/** How the Z reports of a location are numbered. */
export type ReportNumbers = 'consecutive' | 'any'

const BusinessDate = () =>
  Type.String({
    pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
    'x-must': 'a date (YYYY-MM-DD)',
    examples: ['2026-03-14'],
  })

export const Device = Type.Object(
  {
    id: Uuid(),
    name: Type.String({ examples: ['Caisse 1'] }),
    model: Type.String({ examples: ['till'] }),
  },
  { ...closed, title: 'Device' },
)

/** All fields except `deviceList` are strings (specification 5.1); a field without a value is the empty string. */
export const Location = Type.Object(
  {
    id: Uuid(),
    name: Type.String({ examples: ['Bistro Exemple'] }),
    address: Type.String({ examples: ['1 rue de l’Exemple'] }),
    siret: Type.String({ description: 'French establishment number, 14 digits.', examples: ['98297498200018'] }),
    city: Type.String({ examples: ['Paris'] }),
    country: Type.String({ examples: ['France'] }),
    naf: Type.String({ description: 'French activity code.', examples: ['56.10A'] }),
    phone: Type.String({ examples: ['+33100000000'] }),
    text: Type.String({ description: 'Free text printed on tickets.' }),
    tva: Type.String({ description: 'European VAT number.', examples: ['FR22982974982'] }),
    url: Type.String({ examples: ['https://bistro.example'] }),
    zip: Type.String({ examples: ['75011'] }),
    deviceList: Type.Optional(Type.Array(Device, { description: 'Present only when requested with `devices=true`.' })),
  },
  { ...closed, title: 'Location' },
)

/** Settings of a location that are not in its document. Figures and business days depend on them. */
export const LocationSettings = Type.Object(
  {
    timeZone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA time zone.', examples: ['Europe/Paris'] }),
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      'x-must': 'an ISO 4217 code in capital letters, such as EUR',
      description: 'ISO 4217 code.',
      examples: ['EUR'],
    }),
    dayStartsAt: Type.String({
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      'x-must': 'a time from 00:00 to 23:59 (HH:MM)',
      description: 'Local time at which a business day begins. Sales before it belong to the previous business day.',
      examples: ['05:00'],
    }),
    fiscalYearStarts: Type.String({
      pattern: '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
      'x-must': 'a month and a day (MM-DD)',
      description: 'First day of the fiscal year, month and day.',
      examples: ['01-01'],
    }),
    eReportingCategories: Type.Record(Type.String({ maxLength: longestFilter }), Choice(eReportingCategories), {
      description:
        'French e-reporting: the category of each `serviceType` that differs from the default (`TLB1` goods, `TPS1` services, ' +
        '`TNT1` not taxed in France, `TMA1` margin scheme).',
      examples: [{ takeaway: 'TLB1' }],
    }),
    retiredDevices: Type.Record(Type.String({ maxLength: longestDevice }), BusinessDate(), {
      description:
        'Devices out of service, by `deviceId` or name as in `GET /v1/completeness/`, each with the business day on which it was ' +
        'taken out. Days do not wait for them. A device with activity on a later day is in service again.',
      examples: [{ 'Caisse 3': '2026-03-14' }],
    }),
    paymentKinds: Type.Record(Type.String({ maxLength: longestDevice }), Choice(paymentKinds), {
      description:
        'Kinds of payments by the name that tills use; only `cash` counts as cash in the drawer. For other names, `kind` of ' +
        'the catalog payment decides, then a list of common names. Case and accents are ignored.',
      examples: [{ 'Liquide bar': 'cash' }],
    }),
    reportNumbers: Choice(['consecutive', 'any'] as const, {
      description:
        '`consecutive`: a gap in the numbers of a till’s Z reports is a missing report. `any`: gaps are ignored, for example ' +
        'because several tills share one counter.',
      examples: ['consecutive'],
    }),
  },
  { ...closed, title: 'LocationSettings' },
)

export type LocationSettings = Static<typeof LocationSettings>
export type Device = Static<typeof Device>
export type Location = Static<typeof Location>
