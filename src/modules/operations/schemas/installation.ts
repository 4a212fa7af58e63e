import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Nullable } from '../../../core/contract/scalars.ts'

export const AdminSystem = Type.Object(
  {
    version: Type.String(),
    node: Type.String(),
    startedAt: Datetime(),
    memoryBytes: Count({ description: 'Memory of the process that answers, in bytes.' }),
    locations: Count({ description: 'Locations, at most 1,000 are counted.' }),
    disk: Type.Union(
      [
        Type.Object(
          {
            freeBytes: Count(),
            totalBytes: Count(),
            reserveBytes: Count({ description: 'Pushes are refused while less is free.' }),
            trend: Type.Union(
              [
                Type.Object(
                  {
                    since: Datetime({ description: 'The oldest moment that it is told from, two weeks ago at most.' }),
                    bytesPerDay: Type.Integer({
                      description: 'How much less is free each day; below zero where it is more.',
                      examples: [41_000_000],
                    }),
                    daysLeft: Nullable(Count(), {
                      description:
                        'At that rate pushes are refused in so many days; null where no less is free each day.',
                    }),
                  },
                  closed,
                ),
                Type.Null(),
              ],
              { description: 'How fast the disk fills; null until it was seen for three days.' },
            ),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'The disk of the embedded database; null where the database is elsewhere.' },
    ),
    upkeep: Type.Object(
      {
        oldestBackupAt: Nullable(Datetime(), { description: 'The oldest of the last good backups; null without any.' }),
        withoutBackup: Count({ description: 'Locations that were never backed up.' }),
        oldestVerificationAt: Nullable(Datetime(), { description: 'The same of verifications.' }),
        withoutVerification: Count(),
        broken: Count({ description: 'Locations whose last verification found something.' }),
      },
      closed,
    ),
    clockOffsetMs: Type.Number({ description: 'By how much the clock of the database is ahead of this one’s.' }),
    connections: Type.Array(Type.Object({ state: Type.String({ examples: ['idle'] }), count: Count() }, closed), {
      description: 'Connections to the database of all processes that share it, as PostgreSQL calls their states.',
    }),
    database: Type.Object(
      {
        version: Type.String(),
        sizeBytes: Count(),
        tables: Type.Array(
          Type.Object(
            { name: Type.String(), bytes: Count(), rows: Count({ description: 'As the planner estimates it.' }) },
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
    name: Type.String({ description: 'Its environment variable.', examples: ['TILLGATE_PORT'] }),
    group: Type.String({ examples: ['HTTP'] }),
    help: Type.String({ description: 'What it is for.' }),
    value: Nullable(Type.String(), {
      description: 'As it would be written; null where nothing is set, and always for what holds a password.',
    }),
    default: Type.String({ description: 'What holds where nothing is set, in words.' }),
    isDefault: Type.Boolean({ description: 'Whether the default holds.' }),
    isSecret: Type.Boolean({ description: 'Holds a password: it is never shown.' }),
  },
  { ...closed, title: 'AdminSetting' },
)

export const AdminSettings = Type.Object({ data: Type.Array(AdminSetting) }, { ...closed, title: 'AdminSettings' })

const AdminRoute = Type.Object(
  {
    method: Type.String({ examples: ['GET'] }),
    route: Type.String({ description: 'Its path; `none` for requests that met no route.', examples: ['/v1/orders/'] }),
    requests: Count(),
    refused: Count({ description: 'Answers from 400 to 499 among these.' }),
    failed: Count({ description: 'Answers from 500 on among these.' }),
    medianMs: Nullable(Type.Number(), {
      description: 'Half of the answers took at most so long; null for more than ten seconds. Times are told in steps.',
    }),
    p95Ms: Nullable(Type.Number(), { description: 'The same for 95 of 100.' }),
  },
  { ...closed, title: 'AdminRoute' },
)

export const AdminMetrics = Type.Object(
  {
    since: Datetime({ description: 'When the process began to count.' }),
    routes: Type.Array(AdminRoute, { description: 'Those that were called, most requests first.' }),
  },
  { ...closed, title: 'AdminMetrics' },
)

export type AdminSetting = Static<typeof AdminSetting>
export type AdminMetrics = Static<typeof AdminMetrics>
