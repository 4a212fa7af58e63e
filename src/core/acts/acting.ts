import type { ActChange, ActName } from '../schemas/access.ts'
import type { Pool } from '../store/db/database.ts'

/** What an operator did. `subject` is the id of the changed object; null if there is none. */
export type Act = { act: ActName; subject: string | null; changes?: ActChange[] }

/** An operator's context, on the command line or over HTTP. `note` writes an act into the access log of a location. */
export type Acting = { pool: Pool; now: Date; note(locationId: string, act: Act): Promise<void> }
