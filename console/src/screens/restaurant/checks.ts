import type { ReportCheck, ReportCheckPage } from '@tillgate/client'

/** Whether a Z report agrees with its orders: a line of `GET /v1/reports/checks/`. */
export type Check = ReportCheck

export type CheckPage = ReportCheckPage

export type Verdict = Check['verdict']

export const toneOf = { balanced: 'good', unbalanced: 'bad', waiting: 'warn' } as const satisfies Record<
  Verdict,
  string
>
