import { snapshot, type Pool, type Transaction } from '../../../core/store/db/database.ts'
import { stepProjection, type Projection } from './projection.ts'

/** Maximum steps of a projection in one request; if more are needed, the client must repeat the request. */
const stepsOnRead = 20

/** Thrown while a projection of a location is still being built in the background. */
export class FiguresBuilding extends Error {}

/**
 * Answers from a projection as of the head of the journal. `read` runs in one snapshot; while it resolves to undefined
 * (too much is not folded yet), the projection is moved on. Throws `FiguresBuilding`.
 */
export async function readExactly<T>(
  pool: Pool,
  locationId: string,
  projection: Projection,
  read: (tx: Transaction) => Promise<T | undefined>,
): Promise<T> {
  for (let steps = 0; ; steps++) {
    const answer = await snapshot(pool, read)
    if (answer !== undefined) return answer
    if (steps === stepsOnRead) throw new FiguresBuilding('the figures of this location are being built')
    await stepProjection(pool, projection, locationId)
  }
}
