import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Nullable } from '../../../core/contract/scalars.ts'

export const AdminSystem = Type.Object(
  {
    version: Type.String(),
    node: Type.String(),
    startedAt: Datetime(),
    memoryBytes: Count({ description: 'Memory of this process, in bytes.' }),
    locations: Count({ description: 'Number of locations, counted up to 1,000.' }),
    disk: Type.Union(
      [
        Type.Object(
          {
            freeBytes: Count(),
            totalBytes: Count(),
            reserveBytes: Count({ description: 'Free space in bytes below which pushes are refused.' }),
            trend: Type.Union(
              [
                Type.Object(
                  {
                    since: Datetime({ description: 'Start of the observation, at most two weeks ago.' }),
                    bytesPerDay: Type.Integer({
                      description: 'Decrease of free space per day, in bytes; negative if it grows.',
                      examples: [41_000_000],
                    }),
                    daysLeft: Nullable(Count(), {
                      description: 'Days until pushes are refused at this rate; null if free space does not decrease.',
                    }),
                  },
                  closed,
                ),
                Type.Null(),
              ],
              { description: 'Trend of the disk; null until it was observed for three days.' },
            ),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'Disk of the embedded database; null for an external database.' },
    ),
    upkeep: Type.Object(
      {
        oldestBackupAt: Nullable(Datetime(), {
          description: 'Oldest of the last valid backups of all locations; null if there is none.',
        }),
        withoutBackup: Count({ description: 'Number of locations without a backup.' }),
        oldestVerificationAt: Nullable(Datetime(), {
          description: 'Oldest of the last successful verifications of all locations.',
        }),
        withoutVerification: Count(),
        broken: Count({ description: 'Number of locations whose last verification failed.' }),
      },
      closed,
    ),
    clockOffsetMs: Type.Number({
      description: 'Time by which the database clock is ahead of the clock of this process.',
    }),
    connections: Type.Array(Type.Object({ state: Type.String({ examples: ['idle'] }), count: Count() }, closed), {
      description: 'Database connections of all processes, by PostgreSQL state.',
    }),
    database: Type.Object(
      {
        version: Type.String(),
        sizeBytes: Count(),
        tables: Type.Array(
          Type.Object(
            {
              name: Type.String(),
              bytes: Count(),
              rows: Count({ description: 'Number of rows, estimated by PostgreSQL.' }),
            },
            closed,
          ),
        ),
        migrations: Type.Array(
          Type.Object({ version: Type.Integer(), name: Type.String(), appliedAt: Datetime() }, closed),
        ),
      },
      closed,
    ),
  },
  { ...closed, title: 'AdminSystem' },
)

const AdminSetting = Type.Object(
  {
    name: Type.String({ description: 'Environment variable of the setting.', examples: ['TILLGATE_PORT'] }),
    group: Type.String({ examples: ['HTTP'] }),
    help: Type.String({ description: 'Description of the setting.' }),
    value: Nullable(Type.String(), {
      description: 'Current value; null if not set, and for settings with a password.',
    }),
    default: Type.String({ description: 'Default value, in words.' }),
    isDefault: Type.Boolean({ description: 'Whether the default applies.' }),
    isSecret: Type.Boolean({ description: 'Whether it contains a password, which is never shown.' }),
  },
  { ...closed, title: 'AdminSetting' },
)

export const AdminSettings = Type.Object({ data: Type.Array(AdminSetting) }, { ...closed, title: 'AdminSettings' })

const AdminRoute = Type.Object(
  {
    method: Type.String({ examples: ['GET'] }),
    route: Type.String({
      description: 'Path of the route; `none` for requests without a route.',
      examples: ['/v1/orders/'],
    }),
    requests: Count(),
    refused: Count({ description: 'Number of responses with status 400 to 499.' }),
    failed: Count({ description: 'Number of responses with status 500 and above.' }),
    medianMs: Nullable(Type.Number(), {
      description: 'Median response time, rounded up to a histogram step; null above ten seconds.',
    }),
    p95Ms: Nullable(Type.Number(), { description: '95th percentile of the response time.' }),
  },
  { ...closed, title: 'AdminRoute' },
)

export const AdminMetrics = Type.Object(
  {
    since: Datetime({ description: 'Start of the statistics of this process.' }),
    routes: Type.Array(AdminRoute, { description: 'Routes that were called, most requests first.' }),
  },
  { ...closed, title: 'AdminMetrics' },
)

export type AdminSetting = Static<typeof AdminSetting>
export type AdminMetrics = Static<typeof AdminMetrics>
