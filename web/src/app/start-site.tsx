/** Starts the public site in `container`: on top of its prerendered HTML, or from nothing while developing. */
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'

import { Site } from '@/app/site'
import { preload } from '@/app/site-page'
import { notFoundPage, sitePageAt } from '@/app/site-pages'
import { hasStoredSession } from '@/lib/stored-session'

export async function startSite(container: HTMLElement): Promise<void> {
  const page = sitePageAt(window.location.pathname)
  await preload(page ?? notFoundPage)

  async function leave(): Promise<void> {
    const { startApp } = await import('@/app/start-app')
    root.unmount()
    window.removeEventListener('storage', watchSession)
    startApp(container)
  }
  const watchSession = () => {
    // Somebody signed in, in another tab.
    if (hasStoredSession()) void leave()
  }

  const site = (
    <StrictMode>
      <BrowserRouter>
        <Site isNowhere={!page} startApp={() => void leave()} />
      </BrowserRouter>
    </StrictMode>
  )
  document.documentElement.classList.remove('has-session')
  const root = container.hasChildNodes() ? hydrateRoot(container, site) : createRoot(container)
  if (!container.hasChildNodes()) root.render(site)
  window.addEventListener('storage', watchSession)
}
