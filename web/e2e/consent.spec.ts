/**
 * An application elsewhere asks to use the account: consent, refusal, and the end of it.
 */

import { createAccount } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { registerApplication } from './support/applications'
import { expect, test } from './support/test'

const question = { name: 'Agenda chiede di usare il tuo account' }

test('somebody logs in on the way, lets an application in and shuts it out @journey', async ({ page }) => {
  const account = await createAccount({ onboarded: true })
  const application = await registerApplication(page, 'Agenda')

  await test.step('is asked after the login', async () => {
    await page.goto(application.start)
    await expect(page).toHaveURL('/login')
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Accedi', exact: true }).click()
    await expect(page.getByRole('heading', question)).toBeVisible()
    await expect(page.getByRole('main').getByText(account.email)).toBeVisible()
    await expect(page.getByText('agenda.example')).toBeVisible()
  })

  await test.step('refuses', async () => {
    await page.getByRole('button', { name: 'Rifiuta' }).click()
    await page.waitForURL(`${application.back}?**`)
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
  })

  await test.step('consents', async () => {
    await page.goto(application.start)
    await page.getByRole('button', { name: 'Consenti' }).click()
    await page.waitForURL(`${application.back}?**`)
    const { searchParams } = new URL(page.url())
    expect(searchParams.get('code')).toBeTruthy()
    expect(searchParams.get('state')).toBe('of the application')
  })

  await test.step('is not asked again', async () => {
    await page.goto(application.start)
    await page.waitForURL(`${application.back}?**`)
    expect(new URL(page.url()).searchParams.get('code')).toBeTruthy()
  })

  await test.step('shuts it out', async () => {
    await page.goto('/settings/security')
    await page.getByRole('button', { name: 'Togli l’accesso a Agenda' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Togli l’accesso' }).click()
    await expect(page.getByText('Nessuna applicazione usa il tuo account.')).toBeVisible()
    await page.goto(application.start)
    await expect(page.getByRole('heading', question)).toBeVisible()
  })

  await test.step('leaves when the account is somebody else’s', async () => {
    await page.getByRole('button', { name: 'Non sei tu?' }).click()
    await expect(page.getByRole('heading', { name: 'Sei uscito' })).toBeVisible()
    await expect(page.getByText('Torna a Agenda')).toBeVisible()
  })
})

test.describe('the question', () => {
  test.use({ persona: 'member', viewport: { width: 360, height: 740 } })

  test('is accessible and fits a phone', async ({ page }) => {
    const { start } = await registerApplication(page, 'Agenda')
    await page.goto(start)
    await expect(page.getByRole('heading', question)).toBeVisible()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
})

test('an expired request and an address without one say what to do', async ({ page, elsewhere, console }) => {
  console.allow(/the server responded with a status of 40[04]/)
  await page.goto('/oauth/consent')
  await expect(page.getByRole('heading', { name: 'Richiesta non valida' })).toBeVisible()

  const other = await elsewhere()
  const account = await createAccount({ onboarded: true })
  await other.goto('/login')
  await other.getByLabel('Email').fill(account.email)
  await other.getByLabel('Password', { exact: true }).fill(account.password)
  await other.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(other).toHaveURL('/home')
  await other.goto('/oauth/consent?authorization_id=nobody-asked-for-this')
  await expect(other.getByRole('heading', { name: 'Richiesta scaduta' })).toBeVisible()
})
