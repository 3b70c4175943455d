/** «Crea obiettivo»: from the palette and from the chat to rehearsal, plan and mandate; nothing starts before (AGENT). */
import { addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { ask } from './support/database'
import { daysFromNow } from './support/days'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
test.slow()

test('a goal begins in the palette, and its plan is edited before the mandate', async ({ page, account }) => {
  const contactId = addCompany(account, 'neri-piano@example.com')
  await addInvoices(account, [
    { issued_on: daysFromNow(-70), total_cents: 122_000, due_on: daysFromNow(-40), contact_id: contactId },
  ])
  await page.goto('/home')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Vai a' }).fill('crea obiettivo')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Che cosa vuoi ottenere?' })).toBeFocused()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: /^Farmi pagare le fatture scadute/ }).click()

  await expect(page.getByText('Avrei mandato 4 solleciti a 1 cliente.')).toBeVisible()
  const plan = page.getByRole('list', { name: 'Passi del piano' })
  await expect(plan.getByRole('listitem')).toHaveCount(4)
  await expect(plan).toContainText('Aspetta il tuo sì. Si annulla entro 10 secondi, poi no. Nella prova: 1.')
  await expect(page.getByText('Gratis: non usa crediti.')).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await plan.getByRole('checkbox', { name: 'Promemoria, 3 giorni prima della scadenza' }).uncheck()
  await expect(plan).toContainText('Lasciato fuori: non lo fa.')
  // What is chosen in the mandate is seen in the plan.
  await page.getByRole('checkbox', { name: 'PEC per l’ultimo sollecito' }).check()
  await expect(plan.getByRole('listitem').last()).toContainText('Per PEC, tono fermo')
  await page.getByText('Assistita', { exact: true }).click()
  await expect(plan.getByRole('listitem').nth(1)).toContainText('Parte senza chiedere')
  await expect(plan.getByRole('listitem').last()).toContainText('Aspetta il tuo sì')
  const states = () => ask(account, "select string_agg(state::text, ',') from public.goals where user_id = $1").trim()
  const steps = () => ask(account, 'select count(*) from public.goal_steps where user_id = $1').trim()
  expect([states(), steps()]).toEqual(['pianificato', '0'])
  // On the way to its mandate it can be left and found again.
  await page.goto('/projects?vista=obiettivi')
  await expect(page.getByText('Il piano è pronto: parte quando dai il mandato.')).toBeVisible()
  await page.getByRole('link', { name: 'Vedi il piano: Recupero crediti' }).click()
  await plan.getByRole('checkbox', { name: 'Promemoria, 3 giorni prima della scadenza' }).uncheck()
  await expect(plan).toContainText('Lasciato fuori: non lo fa.')
  await page.getByRole('button', { name: 'Dai il mandato e attiva' }).click()
  await expect(page.getByRole('status').getByText(/^(Attivo|Aspetta te)$/)).toBeVisible()
  expect(
    ask(account, 'select array_to_string(skipped_steps, $$,$$) from public.agent_mandates where user_id = $1').trim(),
  ).toBe('1')

  await page.getByRole('link', { name: 'Piano e mandato: Recupero crediti' }).click()
  await expect(plan).toContainText('Lasciato fuori: non lo fa.')
  await page.goto('/projects?vista=obiettivi&nuovo=1')
  await page.getByRole('link', { name: /^Farmi pagare le fatture scadute ?(Attivo|Aspetta te)/ }).click()
  await expect(page.getByRole('button', { name: 'Aggiorna il mandato' })).toBeVisible()
})

test('a goal that is asked for in chat is a card, and leads to its plan', async ({ page, account }) => {
  await page.goto('/chat')
  const field = page.getByRole('textbox', { name: 'Scrivi a Socio' })
  await field.fill('Crea un obiettivo per farmi pagare')
  await field.press('Enter')
  const card = page.getByRole('log', { name: 'Conversazione' }).getByRole('article')
  await expect(card).toContainText('solo con il tuo mandato', { timeout: 30_000 })
  await expectAccessible(page)
  const goals = () =>
    ask(
      account,
      "select coalesce(string_agg(agent || ' ' || state, ','), '-') from public.goals where user_id = $1",
    ).trim()
  expect(goals()).toBe('-')
  await card.getByRole('button', { name: 'Approva', exact: true }).click()
  await card.getByRole('link', { name: 'Leggi il piano' }).click()
  await expect(page.getByRole('list', { name: 'Passi del piano' })).toBeVisible()
  expect(goals()).toBe('recupero_crediti pianificato')
  await page.getByRole('link', { name: 'Torna agli obiettivi' }).click()
  await page.getByRole('button', { name: 'Scarta il piano: Recupero crediti' }).click()
  await expect(page.getByText('Il piano è pronto')).toBeHidden()
  expect(goals()).toBe('recupero_crediti annullato')
})
