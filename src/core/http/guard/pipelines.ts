import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum requests that a connection may start per turn of the event loop. */
export const begunPerTurn = 10

/** Maximum requests of one connection that wait for their turn. */
export const waitingAtMost = 1_000

export type Exchange = { request: IncomingMessage; response: ServerResponse }

/** Requests of one connection: those that started in this turn, those that wait for later turns, and the last one. */
type Pipeline = { begun: number; waiting: Exchange[]; last: Exchange }

/**
 * Limits the requests that a connection starts per turn of the event loop. Node reads 64 KiB at once and would start
 * all requests in it, up to nine hundred, while everyone else waits. Waiting requests keep their order; a connection
 * with too many of them is closed. The returned function finds the last request of a connection.
 */
export function spreadPipelines(server: Server): (socket: Socket) => Exchange | undefined {
  const [serve] = server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void]
  const pipelines = new WeakMap<Socket, Pipeline>()
  let active: Pipeline[] = []

  const begin = (pipeline: Pipeline, { request, response }: Exchange) => {
    if (pipeline.begun === 0 && active.push(pipeline) === 1) setImmediate(nextTurn)
    pipeline.begun += 1
    if (!request.socket.destroyed) serve.call(server, request, response)
  }
  const goOn = (pipeline: Pipeline) => {
    for (let next = pipeline.waiting.shift(); next; next = pipeline.waiting.shift()) {
      begin(pipeline, next)
      if (pipeline.begun === begunPerTurn) return
    }
  }
  const nextTurn = () => {
    const ended = active
    active = []
    for (const pipeline of ended) pipeline.begun = 0
    for (const pipeline of ended) goOn(pipeline)
  }

  server.removeListener('request', serve)
  server.on('request', (request, response) => {
    const { socket } = request
    let pipeline = pipelines.get(socket)
    const last = { request, response }
    if (pipeline) pipeline.last = last
    else pipelines.set(socket, (pipeline = { begun: 0, waiting: [], last }))
    if (pipeline.waiting.length === 0 && pipeline.begun < begunPerTurn) return begin(pipeline, last)
    if (pipeline.waiting.push(last) > waitingAtMost) socket.destroy()
  })
  return (socket) => pipelines.get(socket)?.last
}
