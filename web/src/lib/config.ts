/** The public settings that the server hands to the client through /config.js. */

type ClientConfig = {
  supabaseUrl: string
  publishableKey: string
  /** Whether the server tells of changes by itself; without it the client asks every 30 s. */
  realtime?: boolean
}

declare global {
  interface Window {
    __SOCIO__?: ClientConfig
  }
}

/** False when /config.js did not load; the app then says so instead of staying white. */
export function isConfigured(): boolean {
  return window.__SOCIO__ !== undefined
}

export function clientConfig(): ClientConfig {
  return window.__SOCIO__ ?? { supabaseUrl: window.location.origin, publishableKey: 'missing' }
}
