/** Entry point: the light public site for visitors, the whole app for everybody and everything else. */
import './index.css'

import { sitePageAt } from '@/app/site-pages'
import { showStartFailure } from '@/app/start-failure'
import { measureVitals } from '@/data/vitals'
import { hasStoredSession } from '@/lib/stored-session'
import { watchTheme } from '@/lib/theme'

/** Returns the pattern of the route at this address. */
async function start(container: HTMLElement): Promise<string> {
  const { pathname, search, hash } = window.location
  // Only the server knows that an address leads nowhere; it says so with a prerendered page.
  const page = sitePageAt(pathname)
  const isSite = container.hasChildNodes() || page !== undefined
  // What a provider or a mail has sent along is the app's to read.
  const bringsSession = /[?&](code|error|token_hash)=/.test(search) || /(access_token|error)=/.test(hash)
  if (isSite && !bringsSession && !hasStoredSession()) {
    const { startSite } = await import('@/app/start-site')
    await startSite(container)
    return page?.path ?? '*'
  }
  const { startApp } = await import('@/app/start-app')
  return startApp(container)
}

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

watchTheme()
start(root).then(measureVitals, (error: unknown) => {
  // Code that did not arrive: the prerendered page is better than none.
  document.documentElement.classList.remove('has-session')
  if (!root.hasChildNodes()) showStartFailure(root)
  throw error
})
