/** The whole client. */
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'

import { ErrorBoundary } from '@/app/error-boundary'
import { Providers } from '@/app/providers'
import { StartFailure } from '@/app/start-failure'
import { isConfigured } from '@/lib/config'
import { routes } from '@/routes'

const router = createBrowserRouter(routes)

export function App() {
  if (!isConfigured()) return <StartFailure />
  return (
    <ErrorBoundary>
      <Providers>
        <RouterProvider router={router} />
      </Providers>
    </ErrorBoundary>
  )
}
