import { Type } from 'typebox'

/** The query of what is asked by business days of the location. */
export const DayRangeQuery = {
  since: Type.Optional(
    Type.String({
      format: 'date',
      description: 'First business day; by default 31 days up to the last one.',
      examples: ['2026-03-01'],
    }),
  ),
  until: Type.Optional(
    Type.String({ format: 'date', description: 'Last business day; today by default.', examples: ['2026-03-31'] }),
  ),
}

/** The query of what may be asked for only if all of it is here. */
export const RequireQuery = {
  require: Type.Optional(
    Type.Literal('complete', {
      description:
        '`complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that are waited for.',
    }),
  ),
}
