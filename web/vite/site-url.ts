/** The public root of the site: `site_url` of supabase/config.toml, which the environment overrides as everywhere. */
import { readFileSync } from 'node:fs'

const settings = new URL('../../supabase/config.toml', import.meta.url)

/** Without a slash at its end. @throws Error when the settings name none. */
export function siteUrl(): string {
  const stated = /^site_url = "(.+)"$/m.exec(readFileSync(settings, 'utf8'))?.[1]
  const url = process.env.SUPABASE_AUTH_SITE_URL || stated
  if (!url) throw new Error('supabase/config.toml has no site_url')
  return url.replace(/\/+$/, '')
}
