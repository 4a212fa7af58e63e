import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { base } from './api/request.ts'
import { Broken } from './shell/broken.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Root } from './shell/root.tsx'
import {
  amount,
  date,
  halfHour,
  hour,
  moment,
  month,
  oneOf,
  parseSearch,
  rangeShape,
  search,
  taxKey,
  stringifySearch,
  uuid,
  whole,
  word,
} from './parts/search-params.ts'
import { salesParts } from './parts/sales-parts.ts'

const weekday = oneOf('1', '2', '3', '4', '5', '6', '7')

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  validateSearch: search({ location: uuid }),
  // Navigation keeps the selected location, even in a new tab.
  search: { middlewares: [retainSearchParams<{ location?: string | undefined }>(['location'])] },
})

const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path })

const bookSearch = search({ month, day: date, source: word, page: whole })

const fleetSearch = search({ find: word, dialog: oneOf('new', 'edit'), id: uuid })

const routes = [
  createRoute({ ...at('/'), component: () => null }),
  createRoute({
    ...at('/today'),
    component: lazyRouteComponent(() => import('./screens/restaurant/today.tsx'), 'Today'),
  }),
  createRoute({
    ...at('/sales'),
    validateSearch: search({
      ...rangeShape,
      by: oneOf(...salesParts),
      compare: oneOf('previous', 'weekday', 'fourWeeks', 'yearWeekday', 'year'),
      weekday,
      from: hour,
      before: hour,
    }),
    component: lazyRouteComponent(() => import('./screens/restaurant/sales.tsx'), 'SalesScreen'),
  }),
  createRoute({
    ...at('/orders'),
    validateSearch: search({
      ...rangeShape,
      state: oneOf('open', 'closed'),
      number: word,
      channel: word,
      serviceType: word,
      device: uuid,
      operator: uuid,
      report: uuid,
      training: oneOf('true', 'false'),
      payment: word,
      category: word,
      product: word,
      discount: word,
      tax: taxKey,
      clock: oneOf('closed'),
      weekday,
      hour,
      halfHour,
      counted: oneOf('yes'),
      canceled: oneOf('true'),
      min: amount,
      max: amount,
      page: whole,
      order: uuid,
    }),
    component: lazyRouteComponent(() => import('./screens/restaurant/orders.tsx'), 'Orders'),
  }),
  createRoute({
    ...at('/orders/$id'),
    validateSearch: search({ version: whole }),
    component: lazyRouteComponent(() => import('./screens/restaurant/order.tsx'), 'OrderScreen'),
  }),
  createRoute({
    ...at('/z'),
    validateSearch: search({ ...rangeShape, verdict: oneOf('balanced', 'unbalanced', 'waiting'), page: whole }),
    component: lazyRouteComponent(() => import('./screens/restaurant/reports.tsx'), 'Reports'),
  }),
  createRoute({
    ...at('/z/$id'),
    validateSearch: search({ show: oneOf('differences'), cash: word, version: whole }),
    component: lazyRouteComponent(() => import('./screens/restaurant/report.tsx'), 'ReportScreen'),
  }),
  createRoute({
    ...at('/restaurants'),
    validateSearch: search(rangeShape),
    component: lazyRouteComponent(() => import('./screens/restaurant/restaurants.tsx'), 'Restaurants'),
  }),
  createRoute({
    ...at('/days'),
    validateSearch: search({ month, day: date }),
    component: lazyRouteComponent(() => import('./screens/restaurant/days.tsx'), 'Days'),
  }),
  createRoute({
    ...at('/month'),
    validateSearch: bookSearch,
    component: lazyRouteComponent(() => import('./screens/books/month.tsx'), 'Month'),
  }),
  createRoute({
    ...at('/deductions'),
    validateSearch: search({
      ...rangeShape,
      kind: oneOf('orderCanceled', 'itemCanceled', 'loss', 'discount'),
      operator: uuid,
      hour,
    }),
    component: lazyRouteComponent(() => import('./screens/restaurant/deductions.tsx'), 'DeductionsScreen'),
  }),
  createRoute({
    ...at('/catalog/$list'),
    validateSearch: search({ find: word, view: oneOf('changes'), cursor: word }),
    component: lazyRouteComponent(() => import('./screens/restaurant/catalog.tsx'), 'Catalog'),
  }),
  createRoute({
    ...at('/books'),
    validateSearch: bookSearch,
    beforeLoad: ({ search: asked }) => {
      throw redirect({ to: '/month', search: asked, replace: true })
    },
  }),
  createRoute({
    ...at('/closings'),
    validateSearch: search({ period: oneOf('day', 'month', 'year'), number: whole, page: whole }),
    component: lazyRouteComponent(() => import('./screens/books/closings.tsx'), 'Closings'),
  }),
  createRoute({
    ...at('/integrity'),
    validateSearch: search({ ...rangeShape, verification: uuid }),
    component: lazyRouteComponent(() => import('./screens/restaurant/integrity.tsx'), 'Integrity'),
  }),
  createRoute({
    ...at('/log'),
    validateSearch: search({ before: whole }),
    component: lazyRouteComponent(() => import('./screens/access/access-log.tsx'), 'AccessLog'),
  }),
  createRoute({
    ...at('/webhooks'),
    validateSearch: search({ dialog: oneOf('new'), page: whole }),
    component: lazyRouteComponent(() => import('./screens/integrations/webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    ...at('/webhooks/$id'),
    validateSearch: search({
      event: word,
      outcome: oneOf('success', 'failure'),
      since: date,
      until: date,
      cursor: word,
      delivery: uuid,
      dialog: oneOf('edit', 'replay', 'test', 'secret', 'delete', 'pending'),
      made: oneOf('yes'),
    }),
    component: lazyRouteComponent(() => import('./screens/integrations/webhook.tsx'), 'WebhookScreen'),
  }),
  createRoute({
    ...at('/events'),
    validateSearch: search({ types: word, after: whole, entry: whole }),
    component: lazyRouteComponent(() => import('./screens/integrations/events.tsx'), 'Events'),
  }),
  createRoute({
    ...at('/key'),
    validateSearch: search({ span: oneOf('1h', '24h', '7d') }),
    component: lazyRouteComponent(() => import('./screens/integrations/key.tsx'), 'Key'),
  }),
  createRoute({
    ...at('/ops'),
    validateSearch: fleetSearch,
    component: lazyRouteComponent(() => import('./screens/operations/overview.tsx'), 'Overview'),
  }),
  createRoute({
    ...at('/ops/locations'),
    validateSearch: fleetSearch,
    beforeLoad: ({ search: asked }) => {
      throw redirect({ to: '/ops', search: asked, replace: true })
    },
  }),
  createRoute({
    ...at('/ops/tills'),
    component: lazyRouteComponent(() => import('./screens/operations/tills.tsx'), 'Tills'),
  }),
  createRoute({
    ...at('/ops/rejected'),
    validateSearch: search({ code: word, since: moment, only: oneOf('yes'), record: uuid, cursor: word }),
    component: lazyRouteComponent(() => import('./screens/operations/rejected.tsx'), 'Rejected'),
  }),
  createRoute({
    ...at('/ops/sources'),
    validateSearch: search({ dialog: oneOf('new') }),
    component: lazyRouteComponent(() => import('./screens/operations/sources.tsx'), 'Sources'),
  }),
  createRoute({
    ...at('/ops/sources/$id'),
    component: lazyRouteComponent(() => import('./screens/operations/source.tsx'), 'SourceScreen'),
  }),
  createRoute({
    ...at('/ops/webhooks'),
    beforeLoad: () => {
      throw redirect({ to: '/ops', replace: true })
    },
  }),
  createRoute({
    ...at('/access'),
    validateSearch: search({ cursor: word }),
    component: lazyRouteComponent(() => import('./screens/access/access.tsx'), 'Access'),
  }),
  createRoute({
    ...at('/ops/keys'),
    validateSearch: search({
      tab: oneOf('keys', 'sessions', 'passkeys', 'audit'),
      state: oneOf('active', 'ended', 'all'),
      only: oneOf('yes'),
      cursor: word,
      dialog: oneOf('key', 'link'),
    }),
    component: lazyRouteComponent(() => import('./screens/operations/keys.tsx'), 'Keys'),
  }),
  createRoute({
    ...at('/ops/system'),
    validateSearch: search({ settings: oneOf('all') }),
    component: lazyRouteComponent(() => import('./screens/operations/system.tsx'), 'System'),
  }),
  createRoute({
    ...at('/catalog'),
    beforeLoad: () => {
      throw redirect({ to: '/catalog/$list', params: { list: 'products' } })
    },
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: base,
  parseSearch,
  stringifySearch,
  defaultPreload: false,
  defaultErrorComponent: Broken,
  scrollRestoration: true,
  search: { strict: true },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
