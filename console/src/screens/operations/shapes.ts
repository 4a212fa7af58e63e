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

/** A manual change. */
export type Act = Extract<AccessPage['data'][number], { kind: 'act' }>

export type SystemAnswer = AdminSystem
