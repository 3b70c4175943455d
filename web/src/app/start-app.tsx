/** Starts the whole app in `container`, whatever stood there before. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { App } from '@/app/app'
import { showStartFailure } from '@/app/start-failure'
import { isConfigured } from '@/lib/config'
import { forgetDead } from '@/lib/personal-keys'

export function startApp(container: HTMLElement): void {
  forgetDead()
  // The prerendered page of a visitor, which somebody with a session was never shown (theme.js).
  container.replaceChildren()
  document.documentElement.classList.remove('has-session')
  if (!isConfigured()) {
    showStartFailure(container)
    return
  }
  createRoot(container).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
