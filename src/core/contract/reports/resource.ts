import { toText } from '../../domain/documents/document-text.ts'
import type { Report } from './schema.ts'
import { reportRows, type ReportRow } from './rows.ts'
import type { Resource } from '../resource.ts'

export const reports: Resource<ReportRow, Report, Pick<Report, 'reportNumber'>> = {
  type: 'report',
  plural: 'reports',
  table: { name: 'reports', key: 'id', location: 'location_id' },
  dated: true,
  locationField: 'locationId',
  idOf: ({ id }) => id.toLowerCase(),
  facts: ({ reportNumber }) => ({ reportNumber }),
  events: (_facts, before) => [before ? 'report.updated' : 'report.created'],
  row: (version, { facts, before }) => ({
    ...version,
    updatedAt: before && before.updatedAt > version.updatedAt ? before.updatedAt : version.updatedAt,
    document: toText(version.document),
    number: facts.reportNumber,
  }),
  ...reportRows,
  counts: { of: ({ createdAt }) => ({ kind: 'report', createdAt }), kindSql: `'report'` },
}
