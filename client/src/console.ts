import type {
  ConsoleLink,
  ConsoleSession,
  CreateConsoleLinkBody,
  ListConsolePasskeysQuery,
  ListConsoleSessionsQuery,
  Passkey,
} from './api.ts'
import { listByCursor } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Links into the console, to hand to people of yours, and the sessions that come of them. */
export class ConsoleAccess {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Makes a link that opens the console once. Its session may do no more than the key. */
  createLink(link: CreateConsoleLinkBody = {}, options: Options = {}): Promise<ConsoleLink> {
    return this.#transport.json({ path: '/v1/console/links', method: 'POST', json: link, ...options })
  }

  /** Lists sessions that the key made, and links that wait for their use; newest first. */
  sessions(query: ListConsoleSessionsQuery & Options = {}): AsyncGenerator<ConsoleSession> {
    return listByCursor(this.#transport, '/v1/console/sessions/', query)
  }

  /** Ends a session, or a link that was not used. Code `session_not_found`. */
  async endSession(id: string, options: Options = {}): Promise<void> {
    await this.#transport.send({
      path: `/v1/console/sessions/${encodeURIComponent(id)}`,
      method: 'DELETE',
      ...options,
    })
  }

  /** Lists passkeys that end with the key, with which people of links sign in again; newest first. */
  passkeys(query: ListConsolePasskeysQuery & Options = {}): AsyncGenerator<Passkey> {
    return listByCursor(this.#transport, '/v1/console/passkeys/', query)
  }

  /** Removes a passkey, and ends what came of it. Code `passkey_not_found`. */
  async removePasskey(id: string, options: Options = {}): Promise<void> {
    await this.#transport.send({
      path: `/v1/console/passkeys/${encodeURIComponent(id)}`,
      method: 'DELETE',
      ...options,
    })
  }
}
