import type { Device, Location } from '../src/core/contract/location/schema.ts'
import { idOf, randomOf, type Random } from './random.ts'

const houses = ['Brasserie', 'Bistrot', 'Café', 'Comptoir', 'Auberge', 'Grand Café', 'Petit Bistrot', 'Maison']
const places = [
  'du Canal',
  'des Halles',
  'de la Gare',
  'du Marché',
  'Saint-Martin',
  'des Tilleuls',
  'de l’Horloge',
  'du Pont Neuf',
  'des Artistes',
  'Belle Rive',
  'du Théâtre',
  'des Quatre Saisons',
]
const streets = ['rue du Moulin', 'place du Marché', 'quai des Mariniers', 'rue de la Fontaine', 'cours Gambetta']
const cities = [
  ['Paris', '75011', '1'],
  ['Paris', '75018', '1'],
  ['Lille', '59000', '3'],
  ['Lyon', '69002', '4'],
  ['Marseille', '13006', '4'],
  ['Bordeaux', '33000', '5'],
  ['Toulouse', '31000', '5'],
  ['Nantes', '44000', '2'],
  ['Strasbourg', '67000', '3'],
] as const

/**
 * The beginnings, without the leading 0, of the numbers for fiction (ARCEP, decision 2018-0881), by geographic zone.
 */
const fictionalPhones: Record<string, string> = { 1: '19900', 2: '26191', 3: '35301', 4: '46571', 5: '53649' }

/** Returns the digit that makes the number pass the Luhn check. */
export function luhnDigit(digits: string): string {
  let sum = 0
  for (const [index, digit] of digits.split('').toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return String((10 - (sum % 10)) % 10)
}

/**
 * Makes the SIREN (9 digits) of a company that does not exist and the SIRET of its first establishment, both with valid
 * check digits.
 */
function companyNumbers(random: Random): { siren: string; siret: string } {
  const stem = `9${String(random.int(0, 9_999_999)).padStart(7, '0')}`
  const siren = stem + luhnDigit(stem)
  return { siren, siret: `${siren}0001${luhnDigit(`${siren}0001`)}` }
}

/** Makes the French VAT number: FR, the key (12 + 3 × (SIREN mod 97)) mod 97 with two digits, the SIREN. */
export function vatNumber(siren: string): string {
  return `FR${String((12 + 3 * (Number(siren) % 97)) % 97).padStart(2, '0')}${siren}`
}

const devices = [
  ['Caisse 1', 'till'],
  ['Caisse bar', 'till'],
  ['Tablette salle', 'tablet'],
  ['Tablette terrasse', 'tablet'],
  ['Commandes en ligne', 'gateway'],
] as const

export type Devices = Record<'main' | 'bar' | 'room' | 'terrace' | 'online', Device>

export function devicesOf(seed: string): Devices {
  const [main, bar, room, terrace, online] = devices.map(([name, model]) => ({
    id: idOf(seed, 'device', name),
    name,
    model,
  }))
  return { main, bar, room, terrace, online } as Devices
}

const slug = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')

/** Makes the location as the API shows it, with its devices. */
export function locationOf(seed: string, locationId: string | undefined, chosenName: string | undefined): Location {
  const random = randomOf(seed, 'identity')
  const name = `${random.pick(houses)} ${random.pick(places)}`
  const [city, zip, zone] = random.pick(cities)
  const { siren, siret } = companyNumbers(random)
  const phone = `+33${fictionalPhones[zone]}${String(random.int(0, 9999)).padStart(4, '0')}`
  return {
    id: locationId ?? idOf(seed, 'location'),
    name: chosenName ?? name,
    address: `${random.int(1, 120)} ${random.pick(streets)}`,
    siret,
    city,
    country: 'France',
    naf: '56.10A',
    phone,
    text: 'Merci de votre visite. Prix nets, service compris.',
    tva: vatNumber(siren),
    url: `https://${slug(chosenName ?? name)}.example`,
    zip,
    deviceList: Object.values(devicesOf(seed)),
  }
}
