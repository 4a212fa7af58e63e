import { Client, type Dispatcher } from 'undici'
import { EndpointConnection, type ConnectOptions } from './connection.ts'

/** A request handler that is given the client that serves it. */
export interface ConnectionUser extends Dispatcher.DispatchHandler {
  /** True once the outcome is known: if the request is still queued, it must not be sent. */
  readonly isSettled: boolean
  client: EndpointClient | null
}

/** Holds one connection at a time and its state; undici does not give handlers their socket. */
export class EndpointClient extends Client {
  /** The latest connection: opening, open or ended. */
  connection: EndpointConnection | null = null

  constructor(origin: URL, connect: ConnectOptions, owner: string) {
    super(origin, {
      allowH2: false,
      // One deadline covers headers and body (see Exchange); the timeouts of undici would need a second timer.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: 60_000,
      connect: (target, done) => {
        this.connection = new EndpointConnection(connect, owner)
        this.connection.open(target, (error, socket) =>
          socket ? done(null, socket) : done(error ?? new Error('no socket'), null),
        )
      },
    })
  }

  /** Starts a request; also called for requests that undici's pool had queued. */
  override dispatch(options: Dispatcher.DispatchOptions, handler: ConnectionUser): boolean {
    if (handler.isSettled) return true
    handler.client = this
    return super.dispatch(options, handler)
  }
}
