/**
 * The four steps are saved as they go, and nobody has to take them.
 */
import { sampleInvoice } from '../src/features/documents/sample-invoice'

import { daysFromNow } from './support/days'
import { expect, test } from './support/test'

/** An invoice that «Tipografia Esempio» issued so many days ago, due two weeks later. */
async function issued(number: number, daysAgo: number, customer: string, vat: string) {
  const text = await sampleInvoice(new Date(`${daysFromNow(-daysAgo)}T12:00:00Z`)).text()
  const xml = text
    .replace('128/ESEMPIO', `${number}/ESEMPIO`)
    .replaceAll('La tua attività', customer)
    .replaceAll('09876540155', vat)
  return { name: `Fattura ${number}.xml`, mimeType: 'application/xml', buffer: Buffer.from(xml) }
}

test.describe('a newcomer', () => {
  test.use({ persona: 'newcomer' })

  test('goes on after a reload where the work stopped', async ({ page }) => {
    await page.goto('/onboarding')
    await page.getByLabel('Che lavoro fai?').fill('Idraulica')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByRole('heading', { name: 'Importa' })).toBeFocused()
    await page.getByRole('button', { name: 'Salta', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Canali' })).toBeVisible()

    await page.reload()
    await expect(page.getByRole('heading', { name: 'Canali' })).toBeVisible()
    await page.getByRole('button', { name: 'Indietro' }).click()
    await page.getByRole('button', { name: 'Indietro' }).click()
    await expect(page.getByLabel('Che lavoro fai?')).toHaveValue('Idraulica')
  })

  test('skips everything, and finds the questions again on the home screen', async ({ page }) => {
    await page.goto('/onboarding')
    await page.getByRole('button', { name: 'Salta tutto' }).click()
    await expect(page).toHaveURL('/home')

    await page.getByRole('link', { name: /Racconta la tua attività/ }).click()
    await page.getByLabel('Che lavoro fai?').fill('Idraulica')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page).toHaveURL('/home')
    await expect(page.getByRole('link', { name: /Racconta la tua attività/ })).toBeHidden()
  })

  test('answers with the keyboard alone', async ({ page }) => {
    await page.goto('/onboarding')
    await expect(page.getByRole('heading', { name: 'Chi sei' })).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Importa' })).toBeFocused()
  })

  test('is told which answer is too short', async ({ page }) => {
    await page.goto('/onboarding')
    await page.getByLabel('Nome completo').fill('A')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByText('Nome deve essere almeno 2 caratteri')).toBeVisible()
    await expect(page.getByLabel('Nome completo')).toBeFocused()
  })

  test('brings contacts and invoices, and ends on a true sentence about them', async ({ page }) => {
    const beganMs = Date.now()
    await page.goto('/onboarding')
    await page.getByRole('button', { name: 'Salta', exact: true }).click()
    const files = page.getByLabel('File da caricare')
    await files.setInputFiles([
      {
        name: 'clienti.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Nome;Email\nAda Verdi;ada@esempio.it\nBruno Neri;bruno@esempio.it\n'),
      },
      await issued(1, 60, 'Officina Rossi', '09876540155'),
      await issued(2, 40, 'Bar Centrale', '00743110157'),
      await issued(3, 2, 'Bar Centrale', '00743110157'),
    ])
    await page.getByRole('button', { name: 'Importa 2 contatti' }).click()
    await expect(page.getByText('«clienti.csv» è importato')).toBeVisible()
    await page.getByRole('button', { name: 'Continua' }).click()
    await page.getByRole('button', { name: 'Salta', exact: true }).click()

    await expect(page.getByRole('heading', { name: 'Primo risultato' })).toBeVisible()
    // All three name the issuer; who it is, only the person knows.
    await page.getByRole('button', { name: /Tipografia Esempio Srl/ }).click()
    await expect(
      page.getByText('Hai 2 fatture scadute per 890,60 €: la più vecchia è di Officina Rossi.'),
    ).toBeVisible()
    await expect(page.getByText('2 contatti', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Vedi chi ti deve pagare' }).click()
    await expect(page).toHaveURL('/documents/fatture?tipo=attive')
    await expect(page.getByText('Officina Rossi').first()).toBeVisible()
    // Not a measure of speed: the promise is that it takes no longer by hand.
    expect(Date.now() - beganMs).toBeLessThan(90_000)
  })

  test('tries the sample data and takes it away again, on whatever device', async ({ page }) => {
    await page.goto('/onboarding')
    await page.getByRole('button', { name: 'Salta', exact: true }).click()
    await page.getByRole('button', { name: 'Usa dati di esempio' }).click()
    await expect(page.getByText('Ci sono i dati di esempio')).toBeVisible()
    await page.reload()
    await page.getByRole('button', { name: 'Togli i dati di esempio' }).click()
    await expect(page.getByRole('button', { name: 'Usa dati di esempio' })).toBeVisible()
    await page.getByRole('button', { name: 'Continua' }).click()
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByText('Non hai ancora portato niente', { exact: false })).toBeVisible()
    await page.getByRole('button', { name: 'Porta un file' }).click()
    await expect(page.getByRole('heading', { name: 'Importa' })).toBeVisible()
  })
})
