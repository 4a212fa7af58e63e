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

/** Links into the console for your users, and their sessions. */
export class ConsoleAccess {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Creates a single-use link. Its session has at most the rights of the key. */
  createLink(link: CreateConsoleLinkBody = {}, options: Options = {}): Promise<ConsoleLink> {
    return this.#transport.json({ path: '/v1/console/links', method: 'POST', json: link, ...options })
  }

  /** Lists sessions of the key's links, and unused links, newest first. */
  sessions(query: ListConsoleSessionsQuery & Options = {}): AsyncGenerator<ConsoleSession> {
    return listByCursor(this.#transport, '/v1/console/sessions/', query)
  }

  /** Ends a session or an unused link. Code `session_not_found`. */
  async endSession(id: string, options: Options = {}): Promise<void> {
    await this.#transport.send({
      path: `/v1/console/sessions/${encodeURIComponent(id)}`,
      method: 'DELETE',
      ...options,
    })
  }

  /** Lists the passkeys of users of the key's links, newest first. They end with the key. */
  passkeys(query: ListConsolePasskeysQuery & Options = {}): AsyncGenerator<Passkey> {
    return listByCursor(this.#transport, '/v1/console/passkeys/', query)
  }

  /** Removes a passkey and ends its sessions. Code `passkey_not_found`. */
  async removePasskey(id: string, options: Options = {}): Promise<void> {
    await this.#transport.send({
      path: `/v1/console/passkeys/${encodeURIComponent(id)}`,
      method: 'DELETE',
      ...options,
    })
  }
}
