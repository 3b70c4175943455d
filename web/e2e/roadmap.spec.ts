/** An idea goes its way: sent, answered by an admin, voted for, published, done. */
import type { Page } from '@playwright/test'

import { addSecondFactor, createAccount, makeAdmin } from './support/accounts'
import { expectAccessible } from './support/axe'
import { ask } from './support/database'
import { expect, sessionKey, test } from './support/test'

test.use({ persona: 'member' })

async function asAdmin(page: Page): Promise<void> {
  const admin = await createAccount({ onboarded: true })
  await makeAdmin(admin)
  await addSecondFactor(admin)
  await page.addInitScript(([key, session]) => localStorage.setItem(key, session), [
    sessionKey,
    JSON.stringify(admin.session),
  ] as const)
}

test('an idea becomes an item that others vote for and everybody reads, and its author hears of it', async ({
  page,
  account,
  elsewhere,
}) => {
  // Four screens of two people.
  test.slow()
  const wish = `Fatture in blocco ${Date.now()}`
  await page.goto('/settings/ideas')
  await page.getByRole('button', { name: 'Proponi un’idea' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Invia' }).click()
  await expect(dialog.getByText('Scrivi che cosa vorresti, in una riga')).toBeVisible()
  await dialog.getByLabel('Che cosa vorresti').fill(`  ${wish}  `)
  await dialog.getByLabel('Perché ti servirebbe').fill('Ne ho venti al mese')
  await dialog.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByText('Idea inviata', { exact: true })).toBeVisible()
  const own = page.getByRole('list', { name: 'Le tue idee' }).getByRole('listitem')
  await expect(own).toContainText('da leggere')
  await expectAccessible(page)

  const desk = await elsewhere()
  await asAdmin(desk)
  await desk.goto('/admin/roadmap?lista=idee')
  const received = desk.getByRole('list', { name: 'Idee ricevute' }).getByRole('listitem').filter({ hasText: wish })
  await expect(received).toContainText('Ne ho venti al mese')
  await received.getByRole('button', { name: /^Rispondi/ }).click()
  const answer = desk.getByRole('dialog')
  await answer.getByLabel('Che cosa ne facciamo').selectOption('Non la faremo')
  await answer.getByRole('button', { name: 'Rispondi' }).click()
  await expect(answer.getByText('Scrivi perché no: lo legge chi l’ha proposta')).toBeVisible()
  await answer.getByLabel('Che cosa ne facciamo').selectOption('Nuova voce di roadmap…')
  await answer.getByLabel('Risposta').fill('Ci pensavamo anche noi')
  await answer.getByRole('button', { name: 'Rispondi' }).click()
  await expect(answer.getByLabel('Titolo')).toHaveValue(wish)
  await answer.getByLabel('Promessa entro').fill('2020-01-31')
  await answer.getByLabel(/^Pubblica nella roadmap/).check()
  await answer.getByRole('button', { name: 'Salva' }).click()
  await expect(desk.getByText('Voce salvata')).toBeVisible()
  await expect(received).toContainText(`prevista: ${wish}`)
  await expectAccessible(desk)

  await page.reload()
  await expect(own).toContainText('Ci pensavamo anche noi')
  const vote = page.getByRole('button', { name: `Vota ${wish}: 1 voto` })
  await expect(vote).toHaveAttribute('aria-pressed', 'true')
  await vote.click()
  await expect(page.getByRole('button', { name: `Vota ${wish}: 0 voti` })).toHaveAttribute('aria-pressed', 'false')
  await page.getByRole('button', { name: `Vota ${wish}: 0 voti` }).click()
  await expect(vote).toHaveAttribute('aria-pressed', 'true')

  const guest = await elsewhere()
  await guest.goto('/roadmap')
  const published = guest.getByRole('list', { name: 'Chieste da chi usa Socio' }).getByRole('listitem')
  await expect(published.filter({ hasText: wish })).toContainText('in ritardo')
  await expectAccessible(guest)

  await desk.goto('/admin/roadmap')
  await desk.getByRole('region', { name: 'Prevista' }).getByRole('button', { name: wish }).click()
  await answer.getByLabel('Stato').selectOption('Fatta')
  await answer.getByRole('button', { name: 'Salva' }).click()
  await expect(desk.getByRole('region', { name: 'Fatta' }).getByRole('button', { name: wish })).toBeVisible()
  await expectAccessible(desk)

  await guest.goto('/changelog')
  await expect(guest.getByRole('list', { name: 'Fatte perché ce le avete chieste' })).toContainText(wish)
  await page.goto('/notifications')
  await expect(page.getByText('La tua idea: è fatta')).toBeVisible()
  await page.goto('/settings/ideas')
  await page.getByRole('button', { name: `Elimina ${wish}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Elimina' }).click()
  await expect(page.getByText('Non ne hai ancora mandate.')).toBeVisible()
  expect(ask(account, 'select count(*) from private.ideas where user_id = $1')).toContain('0')
})
