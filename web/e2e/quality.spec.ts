/**
 * The main pages on phones and tablets, with the demo account: `/admin/mobile-qa` shows what this leaves (`make qa`).
 */
import { enterDemo } from './support/demo'
import { failures, leave, measure } from './support/quality'
import { screens } from './support/screens'
import { expect, test } from './support/test'

const MAIN = [
  '/home',
  '/chat',
  '/crm',
  '/crm?vista=whatsapp',
  '/crm/trattative',
  '/documents',
  '/documents/fatture',
  '/projects',
  '/projects?vista=obiettivi',
  '/tasks?vista=kanban',
  '/notifications',
  '/settings',
  '/settings/credits',
  '/settings/channels',
  '/store',
]
const TOGETHER = 5

for (let first = 0; first < MAIN.length; first += TOGETHER) {
  const paths = MAIN.slice(first, first + TOGETHER)
  test(`nothing is too wide, too small or hidden on a phone: ${paths.join(' ')}`, async ({ page, console }, info) => {
    console.allow(/404/)
    await enterDemo(page)
    const walked = screens.member.filter(({ path }) => paths.includes(path))
    expect(walked).toHaveLength(paths.length)
    const items = await measure(page, walked)
    await leave(items, page, info)
    expect(failures(items)).toEqual([])
  })
}

test('a page that is too wide, without a bar and with small controls is noticed', async ({ page }) => {
  await page.route('/home', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<html lang="it"><title>x</title><body><main><h1>Anna</h1>
        <div style="width:800px">x</div>
        <button style="width:10px;height:10px;padding:0;border:0">a</button><button
          style="width:10px;height:10px;padding:0;border:0">b</button></main></body></html>`,
    }),
  )
  const found = await measure(
    page,
    screens.member.filter(({ path }) => path === '/home'),
  )
  expect(failures(found).map((line) => line.split(':')[0])).toEqual(
    [360, 390, 768].flatMap((width) =>
      ['overflow', 'tap_target', 'bottom_bar'].map((check) => `/home ${width} ${check}`),
    ),
  )
})

test('a bar that hides the last control, and a page that keeps the tabulator, are noticed', async ({ page }) => {
  await page.route('/home', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<html lang="it"><title>x</title><body style="margin:0"><a id="trap" href="#x" style="display:block;height:40px">x</a>
        <main><h1>Anna</h1><div style="height:900px"></div><button style="height:40px">Salva</button></main>
        <nav aria-label="Principale" style="position:fixed;bottom:0;height:60px;width:100%"></nav>
        <script>trap.onkeydown = (event) => event.key === 'Tab' && event.preventDefault()</script></body></html>`,
    }),
  )
  const found = await measure(
    page,
    screens.member.filter(({ path }) => path === '/home'),
  )
  expect(failures(found).map((line) => line.split(':')[0])).toEqual(
    [360, 390, 768].flatMap((width) => ['bottom_bar', 'keyboard'].map((check) => `/home ${width} ${check}`)),
  )
})
