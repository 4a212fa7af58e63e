import type { SourceDifference } from './schemas/sources.ts'
import { id } from '../../core/domain/documents/sample-ids.ts'

export const sourceDifference: SourceDifference = {
  id: id(95),
  sourceId: id(96),
  source: 'square',
  account: 'L123',
  date: '2026-03-14',
  here: 120_050,
  there: 122_050,
  difference: -2_000,
}
