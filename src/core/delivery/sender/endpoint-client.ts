import { Client, type Dispatcher } from 'undici'
import { EndpointConnection, type ConnectOptions } from './connection.ts'

/** This is a request's handler that wants to know the connection which serves it. */
export interface ConnectionUser extends Dispatcher.DispatchHandler {
  /** It has its outcome: it may still be queued and must not be sent any more. */
  readonly isSettled: boolean
  client: EndpointClient | null
}

/** Holds one connection at a time and its state; undici does not give handlers their socket. */
export class EndpointClient extends Client {
  /** The latest: opening, open or ended. */
  connection: EndpointConnection | null = null

  constructor(origin: URL, connect: ConnectOptions, owner: string) {
    super(origin, {
      allowH2: false,
      // One deadline covers these (see Exchange); undici's own would be a second clock.
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

  /** Hands a request over; undici's pools hand over their queued requests here too. */
  override dispatch(options: Dispatcher.DispatchOptions, handler: ConnectionUser): boolean {
    if (handler.isSettled) return true
    handler.client = this
    return super.dispatch(options, handler)
  }
}
