import { METHODS } from 'node:http'
import type { HTTPMethods } from 'fastify'
import { AppError } from '../../errors.ts'
import type { App } from '../server-types.ts'

/** CONNECT never reaches a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT') as HTTPMethods[]

/**
 * Answers every method that a path does not take with 405 and `Allow`. Call it before the routes are made; call what
 * it returns when all are.
 */
export function refuseOtherMethods(app: App): () => void {
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  const taken = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = url.length > 1 ? url.replace(/\/$/, '') : url
    const known = taken.get(path) ?? new Set()
    for (const one of [method].flat()) known.add(one.toUpperCase())
    taken.set(path, known)
  })
  return () => {
    for (const [url, known] of taken) {
      const allow = [...known].toSorted().join(', ')
      app.route({
        method: methods.filter((method) => !known.has(method)),
        url,
        schema: { hide: true },
        // Before the body is read: the method is wrong in any case.
        onRequest: (request) => {
          throw new AppError('method_not_allowed', `${request.method} is not possible here, use ${allow}`, {
            headers: { allow },
          })
        },
        handler: () => {},
      })
    }
  }
}
