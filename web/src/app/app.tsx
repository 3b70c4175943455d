/** The whole client. */
import { BrowserRouter, useRoutes } from 'react-router'

import { ErrorBoundary } from '@/app/error-boundary'
import { Providers } from '@/app/providers'
import { routes } from '@/routes'

// The router without loaders: createBrowserRouter costs 18 KB more (brotli) on the first visit, and all data
// comes through the query cache anyway.
export function App() {
  return (
    <ErrorBoundary>
      <Providers>
        <BrowserRouter>
          <Routes />
        </BrowserRouter>
      </Providers>
    </ErrorBoundary>
  )
}

function Routes() {
  return useRoutes(routes)
}
