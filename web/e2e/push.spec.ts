/**
 * The service worker in a real browser: push messages, the app without a network, what other applications share.
 *
 * Chromium reaches no push service here, so PushManager answers with a subscription of our own, and the message comes
 * over the protocol of the developer tools; that the server encrypts it is proved by tests/functions/test_web_push.py.
 */
import type { BrowserContext, Page } from '@playwright/test'

import { chromium } from './support/chromium'
import { ask } from './support/database'
import { pdf } from './support/papers'
import { startReleases } from './support/releases'
import { readStack } from './support/stack'
import { expect, sessionKey, test } from './support/test'

// The headless shell shows no notifications.
test.use({ persona: 'member', hasWorker: true, launchOptions: chromium('chromium') })

const { url: origin } = readStack()

/** Waits until the worker has kept the build and answers for this page. */
async function controlled(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
}

/** A push service that knows this browser by `name`; `window.refuses` makes it fail. */
async function fakePushService(context: BrowserContext, name: string): Promise<void> {
  await context.grantPermissions(['notifications'], { origin })
  await context.addInitScript((endpoint) => {
    const KEY = 'test.push'
    const known = () => {
      const key = localStorage.getItem(KEY)
      if (key === null) return null
      const bytes = Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
        letter.charCodeAt(0),
      )
      return {
        endpoint,
        options: { applicationServerKey: bytes.buffer },
        unsubscribe: () => Promise.resolve(localStorage.removeItem(KEY)).then(() => true),
        // Any point of the curve will do: the server's own.
        toJSON: () => ({ endpoint, keys: { p256dh: key, auth: 'AAAAAAAAAAAAAAAAAAAAAA' } }),
      }
    }
    PushManager.prototype.getSubscription = () => Promise.resolve(known() as unknown as PushSubscription)
    PushManager.prototype.subscribe = (options) => {
      if ('refuses' in window) return Promise.reject(new DOMException('push service error', 'AbortError'))
      localStorage.setItem(KEY, options?.applicationServerKey as string)
      return Promise.resolve(known() as unknown as PushSubscription)
    }
  }, `https://fcm.googleapis.com/fcm/send/${name}`)
}

const endpointOf = (userId: string) => `e2e-${userId}`

test('push is asked for by its switch only, and ends with it, from elsewhere and with a logout', async ({
  page,
  context,
  account,
  console,
}) => {
  await fakePushService(context, endpointOf(account.session.user.id))
  await context.addInitScript(() => {
    const request = Notification.requestPermission.bind(Notification)
    Notification.requestPermission = () => {
      localStorage.setItem('test.asked', '1')
      return request()
    }
  })
  const rows = () => ask(account, 'select count(*) from public.push_subscriptions where user_id = $1')
  const asked = () => page.evaluate(() => localStorage.getItem('test.asked'))
  const isSubscribed = () => page.evaluate(() => localStorage.getItem('test.push') !== null)
  const here = page.getByRole('checkbox', { name: 'Ricevi notifiche push qui' })
  const devices = page.getByRole('list', { name: 'Dispositivi con notifiche' })

  await page.goto('/settings/notifications')
  await page.getByRole('checkbox', { name: 'Documenti: Push' }).click()
  await expect(here).not.toBeChecked()
  expect(await asked()).toBeNull()

  // What fails is told, and tried again.
  await page.evaluate(() => Object.assign(window, { refuses: true }))
  await here.click()
  await expect(page.getByRole('alert')).toContainText('Non siamo riusciti ad accendere le notifiche')
  await page.evaluate(() => Reflect.deleteProperty(window, 'refuses'))
  await page.getByRole('alert').getByRole('button', { name: 'Riprova' }).click()
  await expect(here).toBeChecked()
  expect(await asked()).toBe('1')
  await expect(devices.getByRole('listitem')).toContainText('Chrome Questo dispositivo')
  expect(rows()).toBe('1\n')

  await here.click()
  await expect(here).not.toBeChecked()
  await expect(devices).toBeHidden()
  expect(await isSubscribed()).toBe(false)
  expect(rows()).toBe('0\n')

  // Lost by the browser: the next visit subscribes again.
  await here.click()
  await expect(devices.getByRole('listitem')).toBeVisible()
  await page.evaluate(() => localStorage.removeItem('test.push'))
  await page.reload()
  await expect.poll(isSubscribed).toBe(true)
  await expect.poll(rows).toBe('1\n')

  // Removed from another device: the next visit ends it.
  ask(account, 'delete from public.push_subscriptions where user_id = $1')
  await page.reload()
  await expect.poll(isSubscribed).toBe(false)
  await page.reload()
  await expect(here).not.toBeChecked()

  await here.click()
  await expect(devices.getByRole('listitem')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  expect(await isSubscribed()).toBe(false)
  expect(rows()).toBe('0\n')
  console.allow(/push service error/)
})

test('a message shows how much is new, and a click goes there in the open tab', async ({ page, context }) => {
  await context.grantPermissions(['notifications'], { origin })
  await page.goto('/home')
  await controlled(page)
  const tools = await context.newCDPSession(page)
  const registration = new Promise<string>((resolve) => {
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const ours = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted)
      if (ours) resolve(ours.registrationId)
    })
  })
  await tools.send('ServiceWorker.enable')
  const registrationId = await registration
  const deliver = (data: string) => tools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  const shown = () =>
    page.evaluate(async () => {
      const { getNotifications } = ServiceWorkerRegistration.prototype
      const notices = await getNotifications.call(await navigator.serviceWorker.ready)
      return notices.map(({ title, data }) => `${title}: ${String(data)}`)
    })
  const message = JSON.stringify({ id: 'a1', news: 1, url: '/documents' })
  await deliver(message)
  await expect.poll(shown).toEqual(['Hai una novità in Socio: /documents'])
  // Sent twice, it is shown once.
  await deliver(message)
  await deliver(JSON.stringify({ id: 'a2', news: 3, url: 'https://altrove.example/' }))
  await expect
    .poll(async () => (await shown()).toSorted())
    .toEqual(['Hai 3 novità in Socio: /notifications', 'Hai una novità in Socio: /documents'])

  const [worker] = context.serviceWorkers()
  const click = (tag: string) =>
    worker?.evaluate(async (wanted) => {
      const scope = globalThis as unknown as { registration: ServiceWorkerRegistration }
      const [notification] = await scope.registration.getNotifications({ tag: wanted })
      const Click = Reflect.get(globalThis, 'NotificationEvent') as new (type: string, init: object) => Event
      globalThis.dispatchEvent(new Click('notificationclick', { notification }))
    }, tag)
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await click('a1')
  await expect(page).toHaveURL('/documents')
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
  await expect.poll(shown).toEqual(['Hai 3 novità in Socio: /notifications'])
})

test('without a network the app opens, other pages say so, and nothing of a person is kept', async ({
  page,
  context,
  console,
}) => {
  await page.goto('/home')
  await expect(page.getByRole('heading', { name: /Anna/ }).first()).toBeVisible()
  await controlled(page)
  console.allow(/ERR_INTERNET_DISCONNECTED|Failed to fetch|FetchEvent|WebSocket|service worker:/)
  await context.setOffline(true)
  // A screen that was never opened, when the access token has expired.
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? '{}') as object
    localStorage.setItem(key, JSON.stringify({ ...session, expires_at: 1 }))
  }, sessionKey)
  await page.goto('/tasks')
  await expect(page.getByRole('textbox', { name: 'Nuova attività' })).toBeVisible()
  await page.goto('/pricing')
  await expect(page.getByRole('heading', { name: 'Sei offline' })).toBeVisible()
  await expect(page).toHaveURL('/pricing')
  const kept = await page.evaluate(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })
  const others = kept.filter((path) => !path.startsWith('/assets/'))
  expect(others.toSorted()).toEqual(['/config.js', '/home', '/icon.svg', '/offline', '/theme.js'])
  await context.setOffline(false)
  await page.getByRole('link', { name: 'Riprova' }).click()
  await expect(page.getByRole('heading', { name: 'Un prezzo per quello che usi' })).toBeVisible()
})

const isWaiting = (tab: Page) =>
  tab.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state === 'installed')
/** The caches of builds, the oldest first. */
const builds = (tab: Page) =>
  tab.evaluate(async () => (await caches.keys()).filter((name) => /^socio-[\da-f]+$/.test(name)))
/** How many pages the browser counts as open; a closed one may count a while longer. */
const openPages = async (context: BrowserContext) =>
  context.serviceWorkers()[0]?.evaluate(async () => {
    const { clients } = globalThis as unknown as { clients: { matchAll(query: object): Promise<unknown[]> } }
    return (await clients.matchAll({ type: 'window', includeUncontrolled: true })).length
  })
const typed = (tab: Page) => tab.getByRole('textbox', { name: 'Nuova attività' })

test('a second build waits for the pages of the first, takes over alone, and loses neither words nor screens', async ({
  page,
  context,
  console,
  storageState,
}) => {
  // The live channel does not pass the proxy; files of the first build are gone.
  console.allow(/WebSocket|realtime|status of 404/)
  const releases = await startReleases()
  try {
    const entries = (storageState as { origins: { localStorage: { name: string; value: string }[] }[] }).origins
    await context.addInitScript(
      (all) => {
        // An empty page has none.
        if (window.location.origin !== 'null') for (const { name, value } of all) localStorage.setItem(name, value)
      },
      entries.flatMap(({ localStorage }) => localStorage),
    )
    await page.goto(`${releases.url}/home`)
    await controlled(page)
    await typed(page).fill('Scritta a metà')
    await page.evaluate(() => caches.open('socio-condivisi'))
    const [first = ''] = await builds(page)
    releases.releaseSecond()
    const tab = await context.newPage()
    await tab.goto(`${releases.url}/home`)
    // It fetches every file of its build first, on a machine that other tests keep busy.
    await expect.poll(() => isWaiting(tab), { timeout: 30_000 }).toBe(true)
    expect(await builds(tab)).toEqual([first, expect.any(String)])

    // The older page still has its words, and screens of its build that it has never opened.
    await expect(typed(page)).toHaveValue('Scritta a metà')
    await page.getByRole('navigation', { name: 'Principale' }).getByRole('link', { name: 'Docs' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Documenti' })).toBeVisible()
    await page.close()

    // The page that is left takes it over at its next opening; nothing is loaded again under what is being typed.
    await expect.poll(() => openPages(context)).toBe(1)
    await tab.reload()
    await typed(tab).fill('Anche questa')
    await expect.poll(() => builds(tab)).toEqual([expect.not.stringContaining(first)])
    expect(await isWaiting(tab)).toBe(false)
    expect(await tab.evaluate(() => caches.has('socio-condivisi'))).toBe(true)
    await expect(typed(tab)).toHaveValue('Anche questa')
  } finally {
    releases.close()
  }
})

type Shared = { fields?: Record<string, string>; files?: { name: string; type: string; content: string }[] }

/** Shares as Android does it: a form that is posted to the address of the manifest. */
async function share(page: Page, shared: Shared): Promise<void> {
  const navigation = page.waitForEvent('framenavigated')
  await page.evaluate(({ fields = {}, files = [] }) => {
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: '/condividi', enctype: 'multipart/form-data' })
    for (const [name, value] of Object.entries(fields)) {
      const field = document.createElement('input')
      Object.assign(field, { type: 'hidden', name, value })
      form.append(field)
    }
    const field = document.createElement('input')
    const transfer = new DataTransfer()
    for (const { name, type, content } of files) {
      transfer.items.add(new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], name, { type }))
    }
    Object.assign(field, { type: 'file', name: 'files', multiple: true, files: transfer.files })
    form.append(field)
    document.body.append(form)
    form.submit()
  }, shared)
  await navigation
}

const CARD =
  'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Carla Neri\r\nN:Neri;Carla;;;\r\nEMAIL:carla@neri.example\r\nEND:VCARD\r\n'

test('a paper, a card and a text that are shared become a document, a contact and a task', async ({ page }) => {
  await page.goto('/home')
  await controlled(page)
  const { name, mimeType, buffer } = pdf('Preventivo condiviso.pdf', 'Preventivo per Rossi')
  await share(page, {
    fields: { title: 'Bando', text: 'Leggere il bando https://bando.example/', url: '' },
    files: [
      { name, type: mimeType, content: buffer.toString('base64') },
      { name: 'carla.vcf', type: 'text/vcard', content: btoa(CARD) },
    ],
  })
  await expect(page).toHaveURL('/condividi')
  await expect(page.getByRole('heading', { name: 'Condiviso con Socio' })).toBeVisible()
  // Nothing is lost by a reload.
  await page.reload()
  await page.getByRole('textbox', { name: 'Nuova attività' }).press('Enter')
  await expect(page.getByText('Attività aggiunta')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Nuova attività' })).toBeHidden()

  await page.getByRole('button', { name: 'Carica nei documenti' }).click()
  await expect(page).toHaveURL('/documents')
  await expect(page.getByRole('table', { name: 'Documenti' }).getByRole('link', { name: /Preventivo/ })).toBeVisible()

  await page.goto('/condividi')
  await expect(page.getByRole('list', { name: 'Documenti condivisi' })).toBeHidden()
  await page.getByRole('link', { name: 'Importa nei contatti' }).click()
  await expect(page.getByText('Carla').first()).toBeVisible()
  await page.getByRole('radio', { name: /No, o non lo so/ }).check()
  await page.getByRole('button', { name: /^Importa/ }).click()
  await expect(page.getByText('«carla.vcf» è importato')).toBeVisible()
  await page.goto('/condividi')
  await expect(page.getByText('Niente in attesa')).toBeVisible()
})

/** Once the balance is there nothing is under way that the server would refuse. */
async function logOut(page: Page): Promise<void> {
  await expect(page.getByRole('link', { name: /crediti/ }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
}

test('what a guest shares waits for the login, and a logout leaves nothing of it', async ({ page, account }) => {
  await page.goto('/home')
  await controlled(page)
  await logOut(page)
  await expect(page).toHaveURL('/login')
  await share(page, { fields: { text: 'Chiamare il commercialista' } })
  await expect(page).toHaveURL('/login')
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(page).toHaveURL('/condividi')
  await expect(page.getByRole('textbox', { name: 'Nuova attività' })).toHaveValue('Chiamare il commercialista')
  await logOut(page)
  await expect(page).toHaveURL('/login')
  expect(await page.evaluate(() => caches.has('socio-condivisi'))).toBe(false)
})
