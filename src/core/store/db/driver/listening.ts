import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { destroy, type Opener } from './client.ts'

/** After its connection was lost it is asked for a new one this often, in milliseconds. */
const againMs = 500

export type Listening = { unlisten(): Promise<void> }

/**
 * Hears what is sent to a channel, over a connection of its own, which is opened again after it was lost; what was sent in between
 * is not heard. Rejects when the first one cannot be opened.
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
        // Asked again as long as somebody wants to hear.
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
