/** Starts the whole app in `container`, whatever stood there before. */
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { matchRoutes } from 'react-router'

import { App } from '@/app/app'
import { preloadPage } from '@/app/lazy-page'
import { routePattern } from '@/app/route-pattern'
import { showStartFailure } from '@/app/start-failure'
// Pressed before the palette is there, its keys would reach the browser.
import '@/features/layout/palette-key'
// The browser may offer to install the app before anybody has asked for the button.
import '@/lib/install'
import { isConfigured } from '@/lib/config'
import { forgetDead } from '@/lib/personal-keys'
import { hasStoredSession } from '@/lib/stored-session'
import { routes } from '@/routes'

/** Returns the pattern of the route at this address. */
export function startApp(container: HTMLElement): string {
  const pattern = routePattern(window.location.pathname)
  forgetDead()
  // The prerendered page of a visitor, which somebody with a session was never shown (theme.js).
  container.replaceChildren()
  document.documentElement.classList.remove('has-session')
  if (!isConfigured()) {
    showStartFailure(container)
    return pattern
  }
  // Who has a session will see the page, and need not wait for the proof to have its code.
  if (hasStoredSession()) {
    for (const { route } of matchRoutes(routes, window.location) ?? []) preloadPage(route.element)
  }
  // As a transition React draws in pieces, between which a phone can scroll.
  startTransition(() =>
    createRoot(container).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  )
  return pattern
}
