import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useContext } from 'react'
import { PauseContext } from './pause.ts'
import { Problem } from './problem.ts'
import { send, type Answer, type Call } from './request.ts'
import { useLocationId } from './session.tsx'

export type { Call }

export type Read<T> = UseQueryResult<Answer<T>, Problem>

/** The state of an action. */
export type Act = Pick<UseMutationResult<unknown, Problem>, 'error' | 'isPending' | 'reset'>

type Options = {
  /** Milliseconds between requests, unless paused; by default only events cause new ones. */
  everyMs?: number
  /** Also requests while updates are paused: for the progress of the user's own action. */
  isOwn?: boolean
  /** The age at which an event causes a new request; by default that of `live/refresh.ts` for the path. */
  restMs?: number
  /** Data that does not change by itself, such as a delivery, is requested once. */
  isStill?: boolean
  /** Asks about all locations of the session, not only the selected one. */
  isOfAll?: boolean
}

/**
 * Reads one operation of the public API. While parameters change, the previous rows stay, marked `isPlaceholderData`;
 * another path starts empty. Null sends no request. Temporary failures are retried.
 */
export function useApi<T>(
  call: Call | null,
  { everyMs, restMs, isOwn = false, isStill = false, isOfAll = false }: Options = {},
): Read<T> {
  const chosen = useLocationId()
  const location = isOfAll ? null : chosen
  const isPaused = useContext(PauseContext) && !isOwn
  return useQuery<Answer<T>, Problem>({
    queryKey: [isStill ? 'still' : 'v1', location, call],
    queryFn: ({ signal }) => send<T>(call as Call, { location, signal }),
    enabled: call !== null,
    ...(restMs === undefined ? {} : { meta: { restMs } }),
    placeholderData: (previous, query) => {
      const before = query?.queryKey[2] as Call | undefined
      return before?.path === call?.path ? previous : undefined
    },
    refetchInterval: ({ state }) => state.error?.againMs ?? (isPaused ? undefined : everyMs) ?? false,
    refetchOnWindowFocus: !isPaused,
  })
}

/** Returns an action that changes something on the server; afterwards all shown data is requested again. */
export function useAct<T, Variables = void>(toCall: (variables: Variables) => Call) {
  const location = useLocationId()
  const queries = useQueryClient()
  return useMutation<Answer<T>, Problem, Variables>({
    mutationFn: (variables) => send<T>(toCall(variables), { location }),
    onSuccess: () => queries.invalidateQueries(),
  })
}
