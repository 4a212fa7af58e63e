import type { ReportCheck } from '@tillgate/client'

export const toneOf = { balanced: 'good', unbalanced: 'bad', waiting: 'warn' } as const satisfies Record<
  ReportCheck['verdict'],
  string
>
