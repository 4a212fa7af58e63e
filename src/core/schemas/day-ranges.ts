import { Type } from 'typebox'

/** Query of operations by business days of the location. */
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

/** Query of operations that can require the days to be complete. */
export const RequireQuery = {
  require: Type.Optional(
    Type.Literal('complete', {
      description:
        '`complete`: returns 409 `incomplete` unless every business day of the range is complete; `devices` lists the devices that have not reported.',
    }),
  ),
}
