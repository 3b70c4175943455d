/** Starts the whole app in `container`, whatever stood there before. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { App } from '@/app/app'
import { forgetDead } from '@/lib/personal-keys'

export function startApp(container: HTMLElement): void {
  forgetDead()
  // The prerendered page of a visitor, which somebody with a session was never shown (theme.js).
  container.replaceChildren()
  document.documentElement.classList.remove('has-session')
  createRoot(container).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
