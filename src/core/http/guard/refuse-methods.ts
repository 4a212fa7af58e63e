import { METHODS } from 'node:http'
import type { FastifyRequest, HTTPMethods } from 'fastify'
import { AppError } from '../../contract/errors/errors.ts'
import type { App } from '../server-types.ts'

/** CONNECT never reaches a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT') as HTTPMethods[]

/** Matches the paths of a route like the router: a parameter is any text without a slash, and a trailing slash is optional. */
function toPattern(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : RegExp.escape(part)
  })
  return new RegExp(`^${parts.join('')}/?$`)
}

const pathOf = (url: string) => url.split(/[?#]/, 1)[0] ?? ''

function refusal(method: string, allowed: ReadonlySet<string>): AppError {
  const allow = [...allowed].toSorted().join(', ')
  return new AppError('method_not_allowed', `${method} is not allowed; allowed: ${allow}`, { headers: { allow } })
}

/**
 * Returns a function that finds the error 405, with `Allow`, for a request whose path has routes, but none for its
 * method. Call it before the routes are added. Routes for all refused methods would be 3,400 routes, which would take a
 * third of the start time.
 */
export function refuseOtherMethods(app: App): (request: FastifyRequest) => AppError | undefined {
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  const taken = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = url.length > 1 ? url.replace(/\/$/, '') : url
    const known = taken.get(path) ?? { pattern: toPattern(path), methods: new Set() }
    for (const one of [method].flat()) known.methods.add(one.toUpperCase())
    taken.set(path, known)
  })
  // A path with a route of its own belongs to that route only, not to a route with a parameter in its place.
  const literals = new Map<string, typeof taken>()
  const literalsOf = (route: string) => {
    const known = literals.get(route)
    if (known) return known
    const pattern = toPattern(route)
    const found = new Map(route.includes(':') ? taken.entries().filter(([path]) => pattern.test(path)) : [])
    literals.set(route, found)
    return found
  }
  return ({ method, url, is404, routeOptions }) => {
    if (!is404) {
      const others = literalsOf(routeOptions.url ?? '')
      const own = others.size > 1 ? others.get(pathOf(url).replace(/\/$/, '')) : undefined
      return own && !own.methods.has(method) ? refusal(method, own.methods) : undefined
    }
    const path = pathOf(url)
    const found = taken.values().filter(({ pattern }) => pattern.test(path))
    const allowed = new Set(found.flatMap((route) => route.methods))
    return allowed.size === 0 || allowed.has(method) ? undefined : refusal(method, allowed)
  }
}
