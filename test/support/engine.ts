import type { EngineEventMap, EngineEvents } from '../../src/core/delivery/engine-events.ts'
import type { SendRequest, Sender } from '../../src/core/delivery/sender/send.ts'

type Name = keyof EngineEventMap

type Condition<N extends Name> = (event: EngineEventMap[N][0]) => boolean

/** Resolves with the next event of that name that matches the condition. */
export function nextEvent<N extends Name>(
  events: EngineEvents,
  name: N,
  matches: Condition<N> = () => true,
): Promise<EngineEventMap[N][0]> {
  return new Promise((resolve) => {
    const hear = (event: any) => {
      if (!matches(event)) return
      events.off(name, hear)
      resolve(event)
    }
    events.on(name, hear as never)
  })
}

/** Records every event of that name that matches the condition, from now on. */
export function keepEvents<N extends Name>(
  events: EngineEvents,
  name: N,
  matches: Condition<N> = () => true,
): EngineEventMap[N][0][] {
  const kept: EngineEventMap[N][0][] = []
  events.on(name, ((event: EngineEventMap[N][0]) => {
    if (matches(event)) kept.push(event)
  }) as never)
  return kept
}

/** Matches events about one webhook. */
export const about =
  ({ id }: { id: string }) =>
  (event: { webhookId: string }): boolean =>
    event.webhookId === id

/** Records the requests of one worker. */
export function counting(sender: Sender): Sender & { sent: SendRequest[] } {
  const sent: SendRequest[] = []
  return {
    sent,
    send(request) {
      sent.push(request)
      return sender.send(request)
    },
    close: () => sender.close(),
  }
}
