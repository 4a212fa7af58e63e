/** Whether a Z report agrees with its orders: a line of `GET /v1/reports/checks/`. */
export type Check = {
  reportId: string
  reportNumber: number
  deviceName: string
  businessDay: string
  startedAt: string
  finalizedAt: string
  verdict: Verdict
  orders: Record<'counted' | 'canceled' | 'training' | 'open' | 'missing' | 'extra' | 'elsewhere', number>
  differences: number
  totalSales: number
  computedSales: number
  salesDifference: number
}

export type Verdict = 'balanced' | 'unbalanced' | 'waiting'

export type CheckPage = {
  data: Check[]
  meta: {
    totalCount: number
    currentPageIndex: number
    totalPage: number
    verdicts: Record<Verdict, number>
    sequence: number
  }
}

export const toneOf = { balanced: 'good', unbalanced: 'bad', waiting: 'warn' } as const
