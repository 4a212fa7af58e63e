import type { LiveSource } from '../schemas/sources.ts'
import { lightspeedKPull } from '../../../../connectors/lightspeed-k/pull.ts'
import { loyversePull } from '../../../../connectors/loyverse/pull.ts'
import type { Pull } from './pull.ts'
import { squarePull } from '../../../../connectors/square/pull.ts'
import { sumupPull } from '../../../../connectors/sumup/pull.ts'
import { toastPull } from '../../../../connectors/toast/pull.ts'

/** The systems whose sales are read as they come. */
export const pulls: Readonly<Record<LiveSource, Pull>> = {
  square: squarePull,
  toast: toastPull,
  sumup: sumupPull,
  loyverse: loyversePull,
  'lightspeed-k': lightspeedKPull,
}

export const findPull = (name: string): Pull | undefined => (pulls as Record<string, Pull | undefined>)[name]
