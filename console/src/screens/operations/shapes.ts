import type { AccessPage, AdminKeyPage, AdminOverviewOfOne } from '@tillgate/client'

/** A page of an admin list. */
export type Page<T> = { data: T[]; meta: AdminKeyPage['meta'] }

export type ProblemKind = AdminOverviewOfOne['problems'][number]['kind']

/** A manual change. */
export type Act = Extract<AccessPage['data'][number], { kind: 'act' }>
