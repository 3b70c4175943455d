/** Every public page against the list of capabilities: nothing that is not there today is sold without «In arrivo». */
import { renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router'
import { expect, test } from 'vitest'

import { render } from '@/app/prerender'
import { metaOf } from '@/app/site-meta'
import { type SitePage, sitePages } from '@/app/site-pages'
import catalog from '@/data/catalog.gen.json'
import { changelog } from '@/data/changelog'
import { roadmap } from '@/data/roadmap'
import { Sections } from '@/features/landing/sections'
import { paths } from '@/paths'
import { capabilities, isSoldToday, namedSoon } from '@/strings/capabilities'

/** What is read as one: an item, a row, a paragraph, a heading with nothing else around it. */
const UNITS = 'li, tr, p, dl > div, summary, h1, h2, h3, figcaption, label, details'
const SAID = /in arrivo|in corso|previst[oa]|in ritardo/i

/** The smallest units that name a later capability and, like all units around them, do not say so. */
function unsaid(page: HTMLElement): string[] {
  return Array.from(page.querySelectorAll(UNITS))
    .filter((unit) => namedSoon(unit.textContent).length > 0 && !unit.querySelector(UNITS))
    .filter((unit) => {
      for (let each: Element | null = unit; each; each = each.parentElement?.closest(UNITS) ?? null) {
        if (SAID.test(each.textContent)) return false
      }
      return true
    })
    .map((unit) => unit.textContent)
}

/** The page as it is built; the sections of the landing page are part of it there, and wait for a visitor here. */
async function built(page: SitePage): Promise<string> {
  const html = await render(page)
  if (page.path !== paths.landing) return html
  return (
    html +
    renderToString(
      <StaticRouter location="/">
        <Sections />
      </StaticRouter>,
    )
  )
}

async function open(html: Promise<string>): Promise<HTMLElement> {
  const page = document.createElement('div')
  page.innerHTML = await html
  return page
}

test.each(sitePages.map((page) => [page.path, page] as const))(
  '%s sells nothing that is not there',
  async (_, page) => {
    expect(unsaid(await open(built(page)))).toEqual([])
    expect(namedSoon(metaOf(page).description)).toEqual([])
  },
)

test('a page that names a later capability as if it were there is found', async () => {
  const html = '<ul><li><h3>Funzioni per il team</h3><p>Lavorate insieme.</p></li><li>App mobile: in arrivo</li></ul>'
  expect(unsaid(await open(Promise.resolve(html)))).toEqual(['Funzioni per il team'])
})

test('the roadmap and the list say the same of every capability', () => {
  const told = roadmap.flatMap(({ capability, state }) =>
    capability ? [{ capability, isDone: state === 'fatto' }] : [],
  )
  expect(told.length).toBeGreaterThan(5)
  expect(told).toEqual(
    told.map(({ capability }) => ({ capability, isDone: capabilities[capability].state === 'today' })),
  )
})

test('the changelog announces nothing as done that is still to come', () => {
  expect(changelog.flatMap(({ changes }) => changes).filter((change) => namedSoon(change).length > 0)).toEqual([])
})

test('what is sold today is in the price list of the catalogue', () => {
  expect(catalog.credit_prices.filter(isSoldToday)).toHaveLength(8)
})
