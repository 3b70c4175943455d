/** A public page as a route, in both entries. */
import { Fragment, type ReactNode } from 'react'
import type { RouteObject } from 'react-router'

import { lazyPage } from '@/app/lazy-page'
import type { SitePage } from '@/app/site-pages'
import { PageTitle } from '@/components/page-title'
import { loadChunk } from '@/lib/chunk'

const loaded = new Map<string, ReactNode>()

/** Loads a page before it is rendered: prerendering and hydration cannot wait for it. */
export async function preload(page: SitePage): Promise<void> {
  const { default: Page } = await loadChunk(page.load)
  loaded.set(page.path, <Page />)
}

export function siteRoute(page: SitePage): RouteObject {
  return {
    path: page.path,
    element: (
      <Fragment key={page.path}>
        <PageTitle>{page.title}</PageTitle>
        <Loaded path={page.path}>{lazyPage(page.load)}</Loaded>
      </Fragment>
    ),
  }
}

/** The page if it was preloaded, otherwise the lazy one. */
function Loaded({ path, children }: { path: string; children: ReactNode }) {
  return loaded.get(path) ?? children
}
