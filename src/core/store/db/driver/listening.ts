import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { destroy, type Opener } from './client.ts'

/** Interval of attempts to reconnect, in milliseconds. */
const againMs = 500

export type Listening = { unlisten(): Promise<void> }

/**
 * Listens to a channel over a connection of its own, which is opened again after a loss; notifications in between are
 * missed. Rejects if the first connection cannot be opened.
 */
export async function listen(opener: Opener, channel: string, hear: (payload: string) => void): Promise<Listening> {
  const ended = new AbortController()
  let current: Client
  const open = async () => {
    const client = await opener.open()
    try {
      client.on('notification', (message) => hear(message.payload ?? ''))
      await client.query(`listen "${channel}"`)
    } catch (error) {
      destroy(client)
      throw error
    }
    client.once('end', () => void openAgain())
    current = client
    if (ended.signal.aborted) destroy(client)
  }
  const openAgain = async () => {
    while (!ended.signal.aborted) {
      try {
        await delay(againMs, undefined, { ref: false, signal: ended.signal })
        await open()
        return
      } catch {
        // Tried again until the listener stops.
      }
    }
  }
  await open()
  return {
    async unlisten() {
      ended.abort()
      await current.end()
    },
  }
}
