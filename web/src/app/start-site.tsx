/** Starts the public site in `container`: on top of its prerendered HTML, or from nothing while developing. */
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'

import { Site } from '@/app/site'
import { preload } from '@/app/site-page'
import { notFoundPage, sitePageAt } from '@/app/site-pages'
import { loadChunk } from '@/lib/chunk'
import { hasStoredSession } from '@/lib/stored-session'

export async function startSite(container: HTMLElement): Promise<void> {
  const page = sitePageAt(window.location.pathname)
  await preload(page ?? notFoundPage)

  const presence = new AbortController()
  async function leave(): Promise<void> {
    const { startApp } = await loadChunk(loadApp)
    if (presence.signal.aborted) return
    presence.abort()
    root.unmount()
    startApp(container)
  }

  const site = (
    <StrictMode>
      <BrowserRouter>
        <Site isNowhere={!page} startApp={leave} />
      </BrowserRouter>
    </StrictMode>
  )
  document.documentElement.classList.remove('has-session')
  const root = container.hasChildNodes() ? hydrateRoot(container, site) : createRoot(container)
  if (!container.hasChildNodes()) root.render(site)
  const { signal } = presence
  for (const aim of ['pointerover', 'focusin']) document.addEventListener(aim, prepareApp, { signal })
  window.addEventListener(
    'storage',
    () => {
      // Somebody signed in, in another tab. Without the code of the app the reader keeps the page.
      if (hasStoredSession()) leave().catch(() => undefined)
    },
    { signal },
  )
}

const loadApp = () => import('@/app/start-app')

/** Loads the app's code when somebody aims at a link into it. */
function prepareApp({ target }: Event): void {
  const link = target instanceof Element && target.closest('a')
  if (link && link.origin === window.location.origin && !sitePageAt(link.pathname)) {
    // Whoever then follows the link tries again, and hears of it.
    loadApp().catch(() => undefined)
  }
}
