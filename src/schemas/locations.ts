import { Type, type Static } from 'typebox'
import { closed, Uuid } from './scalars.ts'

export const Device = Type.Object(
  {
    id: Uuid(),
    name: Type.String({ examples: ['Caisse 1'] }),
    model: Type.String({ examples: ['till'] }),
  },
  closed,
)

/** All fields are strings (specification 5.1); a field without a value is the empty string. */
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

/** What a location has beside its document: an IANA time zone and an ISO 4217 currency. */
export const LocationSettings = Type.Object(
  { timeZone: Type.String({ minLength: 1, maxLength: 64 }), currency: Type.String({ pattern: '^[A-Z]{3}$' }) },
  closed,
)

export type LocationSettings = Static<typeof LocationSettings>
export type Device = Static<typeof Device>
export type Location = Static<typeof Location>
