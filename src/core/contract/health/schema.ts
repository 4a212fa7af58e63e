import { Type, type Static } from 'typebox'
import { closed } from '../scalars.ts'

/** Lists the versions served; `/v1` only grows (decision 0014). */
export const apiVersions: readonly string[] = ['v1']

export const Health = Type.Object(
  {
    status: Type.String({ description: '`ok` while the database responds.', examples: ['ok'] }),
    uptime: Type.String({
      description: 'Time since the process started, as readable text.',
      examples: ['3 days 4 hours 12 minutes'],
    }),
    apiVersions: Type.String({ description: 'Supported versions, separated by commas.', examples: ['v1'] }),
    docURL: Type.String({ examples: ['https://pos.example/docs'] }),
  },
  { ...closed, title: 'Health' },
)

export type Health = Static<typeof Health>
