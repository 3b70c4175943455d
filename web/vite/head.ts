/** The head of a prerendered page: title, description, canonical link, social cards, structured data. */

type Page = { path: string; title: string }
type Meta = { description: string; isIndexed: boolean; data: object[] }

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter)

/** The app's shell with the head of one page; `extra` stands at its end. @throws Error when the shell has changed. */
export function withHead(shell: string, page: Page, meta: Meta, siteUrl: string, extra: string): string {
  const title = escape(`${page.title} · Socio`)
  const description = escape(meta.description)
  const url = siteUrl + page.path
  const image = `${siteUrl}/social-card.png`
  const tags = [
    meta.isIndexed ? `<link rel="canonical" href="${url}" />` : '<meta name="robots" content="noindex" />',
    ...Object.entries({
      'og:type': 'website',
      'og:site_name': 'Socio',
      'og:locale': 'it_IT',
      'og:title': title,
      'og:description': description,
      // A page that no search engine keeps has no address to be known by: the one of 404.html is any.
      ...(meta.isIndexed && { 'og:url': url }),
      'og:image': image,
      'og:image:width': '1200',
      'og:image:height': '630',
      'og:image:alt': 'Socio, il socio digitale di chi lavora in proprio',
    }).map(([property, content]) => `<meta property="${property}" content="${content}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
    // A data block: no script, so the policy against inline scripts does not concern it.
    ...meta.data.map((each) => `<script type="application/ld+json">${forScript(each)}</script>`),
    extra,
  ]
  return [
    [/<title>.*?<\/title>/s, `<title>${title}</title>`],
    [/<meta\s+name="description".*?\/>/s, `<meta name="description" content="${description}" />`],
    ['</head>', `  ${tags.join('\n    ')}\n  </head>`],
  ].reduce((html, [old = '', fresh]) => replaced(html, old, String(fresh)), shell)
}

/** Nothing in it can end the element. */
const forScript = (data: object): string => JSON.stringify(data).replaceAll('<', String.raw`\u003c`)

export function replaced(html: string, old: string | RegExp, fresh: string): string {
  if (html.search(old) < 0) throw new Error(`index.html has no ${String(old)}`)
  return html.replace(old, () => fresh)
}
