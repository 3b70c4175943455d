/**
 * The camera: a picture of every screen at three widths in both themes, for people to look at.
 *
 * Run only by `npm run shots -w web`; the pictures land in web/test-results/shots.
 */
import { mkdirSync } from 'node:fs'

import type { Page } from '@playwright/test'

import { notify } from './support/accounts'
import { registerApplication } from './support/applications'
import { enterDemo } from './support/demo'
import { note, pdf, scan, zip } from './support/papers'
import { open, screens, themes } from './support/screens'
import { expect, type Persona, test } from './support/test'

const folder = 'test-results/shots'
const viewports = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]

mkdirSync(folder, { recursive: true })

/** A file of `size` bytes that is what its name says. */
const file = (name: string, size = 40_000) => ({
  name,
  mimeType: '',
  buffer: Buffer.concat([Buffer.from(name.endsWith('.pdf') ? '%PDF-1.7' : ''), Buffer.alloc(size, 'a')]),
})

/** Six pictures of what `page` shows now. */
async function shoot(page: Page, name: string): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const viewport of viewports) {
      await page.setViewportSize(viewport)
      // A change of theme fades: the picture is taken at its end.
      await page.screenshot({ animations: 'disabled', path: `${folder}/${name}-${viewport.width}-${colorScheme}.png` })
    }
  }
}

for (const persona of Object.keys(screens) as Persona[]) {
  test.describe(persona, () => {
    test.use({ persona })

    test(`every screen for ${persona}`, async ({ page, visitor, console }) => {
      test.setTimeout(300_000)
      console.allow(/404/)
      if (visitor && persona === 'member') {
        await notify(visitor, {
          title: 'Preventivo accettato',
          message: 'Rossi Srl ha accettato il preventivo 12.',
          type: 'success',
        })
        await notify(visitor, {
          title: 'Scadenza vicina',
          message: 'Il modello F24 scade tra tre giorni.',
          type: 'warning',
        })
      }
      for (const screen of screens[persona]) {
        await open(page, screen)
        await shoot(page, `${persona}${screen.path.replaceAll(/[^a-z]+/g, '-')}`)
      }
    })
  })
}

test('every screen for the demo user', async ({ page, console }) => {
  test.setTimeout(300_000)
  console.allow(/404/)
  await enterDemo(page)
  for (const screen of screens.member) {
    await open(page, screen)
    await shoot(page, `demo${screen.path.replaceAll(/[^a-z]+/g, '-')}`)
  }
})

test.describe('moments', () => {
  test('wrong fields and a refused login', async ({ page, console }) => {
    console.allow(/the server responded with a status of 400/)
    await page.goto('/register')
    await page.getByLabel('Password', { exact: true }).fill('Prova')
    await page.getByRole('button', { name: 'Crea account' }).click()
    await expect(page.getByText('Email non valida')).toBeVisible()
    await shoot(page, 'moment-register-errors')

    await page.goto('/login')
    await page.getByLabel('Email').fill('nessuno@e2e.example')
    await page.getByLabel('Password', { exact: true }).fill('Sbagliata-1')
    await page.getByRole('button', { name: 'Accedi', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Recupera password' })).toBeVisible()
    await shoot(page, 'moment-login-refused')
  })

  test.describe('onboarding', () => {
    test.use({ persona: 'newcomer' })

    test('each step', async ({ page }) => {
      await page.goto('/onboarding')
      for (const title of ['Importa', 'Canali', 'Primo risultato']) {
        await page.getByRole('button', { name: 'Continua' }).click()
        await expect(page.getByRole('heading', { name: title })).toBeVisible()
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
        await shoot(page, `moment-onboarding-${title.toLowerCase().replaceAll(' ', '-')}`)
      }
    })
  })

  test.describe('consent', () => {
    test.use({ persona: 'member' })

    test('the question of an application', async ({ page }) => {
      const { start } = await registerApplication(page, 'Agenda')
      await page.goto(start)
      await expect(page.getByRole('heading', { name: /Agenda chiede/ })).toBeVisible()
      await shoot(page, 'moment-consent')
    })
  })

  test.describe('the second factor', () => {
    test.use({ persona: 'admin' })

    test('its question', async ({ elsewhere, account }) => {
      const page = await elsewhere()
      await page.goto('/login')
      await page.getByLabel('Email').fill(account.email)
      await page.getByLabel('Password', { exact: true }).fill(account.password)
      await page.getByRole('button', { name: 'Accedi', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Conferma che sei tu' })).toBeVisible()
      await shoot(page, 'moment-second-factor')
    })
  })

  test.describe('documents', () => {
    test.use({ persona: 'member' })

    test('on their way, read and found', async ({ page, console }) => {
      console.allow(/Failed to load resource/)
      await page.goto('/documents')
      await page.getByRole('button', { name: 'Prova con una fattura di esempio' }).click()
      const field = page.getByLabel('File da caricare')
      await field.setInputFiles([
        pdf('Preventivo per il rifacimento del bagno, versione definitiva.pdf', 'Preventivo\nPiastrelle e posa'),
        await scan(page, 'Scontrino.png', ['Ferramenta Bianchi', 'Piastrelle da bagno', 'Totale 12,50']),
        zip('Novembre.zip', note('appunti.txt', 'Piastrelle consegnate'), note('altro.txt', 'Altro')),
        pdf('Bolla.pdf', 'Documento di trasporto'),
        pdf('Bolla (copia).pdf', 'Documento di trasporto'),
      ])
      await expect(page.getByText('Ce l’hai già')).toBeVisible({ timeout: 60_000 })
      await expect(page.getByText('Tutto letto')).toBeAttached({ timeout: 60_000 })
      // One stays on its way: its pieces get no answer.
      await page.route('**/upload/resumable/**', () => undefined)
      await field.setInputFiles([file('Contratto firmato.pdf', 12_000_000), file('listino.xlsx')])
      await expect(page.getByText(/Questo tipo di file/)).toBeVisible()
      await shoot(page, 'moment-documents')
      await page.getByLabel('Cerca nei documenti').fill('piastrelle')
      await expect(page.getByRole('list', { name: 'Documenti trovati' })).toBeVisible()
      await shoot(page, 'moment-documents-found')
    })
  })

  test.describe('a first visit', () => {
    test.use({ persona: 'member', isFirstVisit: true })

    test('the tour, then the cookie banner', async ({ page }) => {
      await page.goto('/home')
      const card = page.getByRole('alertdialog')
      await card.getByRole('button', { name: 'Avanti' }).click()
      await expect(card).toContainText('2 di 6')
      await shoot(page, 'moment-tour')
      await card.getByRole('button', { name: 'Salta' }).click()
      await expect(page.getByRole('region', { name: 'Preferenze cookie' })).toBeVisible()
      await shoot(page, 'moment-cookies')
    })
  })

  test.describe('few credits', () => {
    test.use({ persona: 'member' })

    test('the warning', async ({ page }) => {
      await page.goto('/settings/credits')
      await page.getByLabel('Avvisami sotto').fill('10000')
      await page.getByRole('button', { name: 'Salva' }).click()
      await expect(page.getByRole('dialog', { name: 'Crediti Insufficienti' })).toBeVisible()
      await shoot(page, 'moment-low-credits')
    })
  })

  test.describe('the bell', () => {
    test.use({ persona: 'member' })

    test('its popover', async ({ page }) => {
      await page.goto('/home')
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Anna')
      await page
        .getByRole('banner')
        .getByRole('button', { name: /Notifiche/ })
        .click()
      await expect(page.getByRole('dialog').getByText(/benvenuto/)).toBeVisible()
      await shoot(page, 'moment-popover')
    })
  })
})
