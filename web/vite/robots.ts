/** What the site tells robots: which pages there are, which to leave alone, whom to tell about a weakness. */

type Page = { path: string; isIndexed: boolean }

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** The files by their names. */
export function filesForRobots(pages: Page[], privatePaths: string[], siteUrl: string): [string, string][] {
  const urls = pages.filter((page) => page.isIndexed).map(({ path }) => `  <url><loc>${siteUrl}${path}</loc></url>`)
  const sitemap = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>',
  ]
  const robots = [
    'User-agent: *',
    ...privatePaths.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${siteUrl}/sitemap.xml`,
  ]
  // RFC 9116; a date further away than a year is not to be trusted.
  const security = [
    'Contact: mailto:sicurezza@socio.example',
    `Expires: ${new Date(Date.now() + YEAR_MS).toISOString()}`,
    'Preferred-Languages: it, en',
    `Canonical: ${siteUrl}/.well-known/security.txt`,
  ]
  return Object.entries({ 'sitemap.xml': sitemap, 'robots.txt': robots, '.well-known/security.txt': security }).map(
    ([name, lines]) => [name, `${lines.join('\n')}\n`],
  )
}
