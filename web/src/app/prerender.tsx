/** The public pages as HTML: built for Node and called at build time by vite/prerender.ts. */
import { StrictMode } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router'

import { Offline } from '@/app/offline'
import { Site } from '@/app/site'
import { metaOf } from '@/app/site-meta'
import { preload } from '@/app/site-page'
import { notFoundPage, type SitePage, sitePages } from '@/app/site-pages'
import { paths } from '@/paths'

export { metaOf, notFoundPage, sitePages }

export async function render(page: SitePage): Promise<string> {
  await preload(page)
  const isNowhere = page === notFoundPage
  return renderToString(
    <StrictMode>
      <StaticRouter location={isNowhere ? '/404' : page.path}>
        <Site isNowhere={isNowhere} startApp={() => Promise.resolve()} />
      </StaticRouter>
    </StrictMode>,
  )
}

/** The page of the service worker for when there is no network. */
export const offlinePage = {
  path: paths.offline,
  title: 'Sei offline',
  render: () => renderToStaticMarkup(<Offline />),
}

/** Every address that the app answers, with `:` before what varies: anything else is a 404. */
export const appPaths: string[] = Object.values<string | ((...parts: string[]) => string)>(paths).map((path) =>
  typeof path === 'string' ? path : path(...Array.from({ length: path.length }, (_, index) => `:${index}`)),
)

/** Nothing for robots: they would only meet the login. */
export const privatePaths: string[] = [
  paths.home,
  paths.offline,
  paths.share,
  paths.onboarding,
  paths.settings,
  paths.admin,
  paths.authConfirm,
  paths.waitingList,
]
