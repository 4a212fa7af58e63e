import type {
  AccessPage,
  AdminOverviewOfOne,
  AdminRejected,
  AdminRejectedGroup,
  AdminSystem,
  AdminKeyPage,
} from '@tillgate/client'

/** A page of an admin list. */
export type Page<T> = { data: T[]; meta: AdminKeyPage['meta'] }

export type OverviewEntry = AdminOverviewOfOne

export type ProblemKind = OverviewEntry['problems'][number]['kind']

export type Rejected = AdminRejected

export type RejectedGroup = AdminRejectedGroup

/** What somebody did by hand. */
export type Act = Extract<AccessPage['data'][number], { kind: 'act' }>

export type SystemAnswer = AdminSystem
