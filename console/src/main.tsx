import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem } from './api/problem.ts'
import { LanguageProvider } from './i18n/language.tsx'
import { router } from './router.tsx'
import './styles/base.css'

const queries: QueryClient = new QueryClient({
  // The next request finds out that a session has ended: then the user signs in, and returns to the same screen.
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof Problem && error.status === 401) void queries.invalidateQueries({ queryKey: ['session'] })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      retry: (count, error) => count < 1 && !(error instanceof Problem),
    },
    mutations: { networkMode: 'always' },
  },
})

const place = document.querySelector('#root')
if (place === null) throw new Error('the page has no #root')

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Suspense>
        <LanguageProvider>
          <RouterProvider router={router} />
        </LanguageProvider>
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
)
