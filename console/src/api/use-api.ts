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

export type Read<T> = UseQueryResult<Answer<T>, Problem>

/** How something that is done stands. */
export type Act = Pick<UseMutationResult<unknown, Problem>, 'error' | 'isPending' | 'reset'>

type Options = {
  /** Asks again after so many milliseconds, unless updates are paused; by default only when the live stream says that something happened. */
  everyMs?: number
  /** Asks on while updates are paused: how far something is that one began oneself. */
  isOwn?: boolean
  /** An event that can have changed it asks again when the answer is this old; by default as `live/refresh.ts` has it for the path. */
  restMs?: number
  /** What does not change by itself, such as a delivery, is asked for once. */
  isStill?: boolean
  /** It is of all locations of the session, and not of the one that is looked at. */
  isOfAll?: boolean
}

/**
 * Reads one operation of the public API. While parameters change the rows of before stay, marked `isPlaceholderData`;
 * another path starts empty. Null asks nothing. What failed for a while is asked for again by itself.
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

/** Does something to the server; afterwards all that is shown is asked for again. */
export function useAct<T, Variables = void>(toCall: (variables: Variables) => Call) {
  const location = useLocationId()
  const queries = useQueryClient()
  return useMutation<Answer<T>, Problem, Variables>({
    mutationFn: (variables) => send<T>(toCall(variables), { location }),
    onSuccess: () => queries.invalidateQueries(),
  })
}
