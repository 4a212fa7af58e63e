import { AppError } from '../../../core/contract/errors/errors.ts'
import { FiguresBuilding } from '../projections/exact.ts'

/** Returns the answer. Throws `figures_building`, which asks the caller to retry, while the figures are being built. */
export async function whenBuilt<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    if (!(error instanceof FiguresBuilding)) throw error
    throw new AppError('figures_building', undefined, { headers: { 'retry-after': '2' } })
  })
}
