/**
 * The administration: what each screen shows, and an action that needs a reason.
 */
import { readdirSync, readFileSync } from 'node:fs'

import type { Page } from '@playwright/test'

import { createAccount } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask, carryOutQa, runJobs, sendReport } from './support/database'
import { expect, test } from './support/test'

const routes = [
  ['/admin', 'Panoramica'],
  ['/admin/errors', 'Errori'],
  ['/admin/uptime', 'Disponibilità'],
  ['/admin/mobile-qa', 'Mobile'],
  ['/admin/browser-testing', 'Browser'],
  ['/admin/performance', 'Prestazioni'],
  ['/admin/analytics', 'Analytics'],
  ['/admin/stripe-events', 'Pagamenti'],
  ['/admin/security', 'Sicurezza'],
  ['/admin/database-health', 'Database'],
  ['/admin/credit-audit', 'Crediti'],
  ['/admin/roadmap', 'Roadmap'],
] as const

/** Opens a screen whose `count` measures the job has taken: a new stack's worker does so within its first minute. */
async function openMeasured(page: Page, path: string, count = 1): Promise<void> {
  await expect(async () => {
    await page.goto(path)
    await expect(page.getByText(/^aggiornato/)).toHaveCount(count)
  }).toPass({ timeout: 90_000 })
}

test.use({ persona: 'admin' })

test('an admin walks through the twelve screens by their links', async ({ page }) => {
  await page.goto('/admin')
  for (const [path, title] of routes) {
    await test.step(path, async () => {
      await page.getByRole('navigation', { name: 'Amministrazione' }).getByRole('link', { name: title }).click()
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
    })
  }
})

test('the lights of the overview lead to figures that say when they were measured', async ({ page }) => {
  await openMeasured(page, '/admin', 10)
  const lights = page.getByRole('list', { name: 'Semafori' }).getByRole('listitem')
  await expect(lights).toHaveCount(10)
  await lights.getByRole('link', { name: 'Database' }).click()
  await expect(page.getByText('Letture dalla memoria').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Tabelle più grandi' }).getByRole('row')).toHaveCount(21)
  await page.getByRole('link', { name: '90 giorni' }).click()
  await expect(page).toHaveURL(/periodo=90g/)
  const download = page.waitForEvent('download')
  await page.getByRole('region', { name: 'Tabelle più grandi' }).getByRole('button', { name: 'CSV' }).click()
  expect((await download).suggestedFilename()).toBe('Tabelle più grandi.csv')
})

test('a backup comes back, a stranger reaches nothing in it, and a test can be asked for', async ({ page }) => {
  await openMeasured(page, '/admin/database-health', 2)
  const tests = page.getByRole('region', { name: 'Prove di ripristino' })
  await expect(tests.getByRole('row', { name: /Tutto tornato.*valida/ })).toHaveCount(1)
  await page.getByRole('button', { name: 'Prova adesso il ripristino' }).click()
  await page.getByLabel('Motivo').fill('Prima di un rilascio')
  await page.getByRole('button', { name: 'Conferma' }).click()
  await expect(page.getByText('Prova avviata')).toBeVisible()
  await expect(async () => {
    await page.reload()
    await expect(tests.getByRole('row', { name: /Tutto tornato.*valida/ })).toHaveCount(2)
  }).toPass({ timeout: 50_000 })
  await page.goto('/admin/security')
  await expect(page.getByText('Nessuno ha raggiunto righe di altri.')).toBeVisible()
  await expectAccessible(page)
})

test('a breach is in the register with its 72 hours, until the authority is told', async ({ page }) => {
  await page.goto('/admin/security')
  // The tables above come one after the other and push the button down.
  await expect(page.getByText('Archivi dei tuoi dati da scaricare')).toBeVisible()
  await expect(page.locator('[data-slot="skeleton"]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Registra una violazione' }).click()
  await page.getByLabel('Che cosa', { exact: true }).fill('Portatile perso in treno')
  await page.getByLabel('Fatti ed effetti').fill('Un portatile con la posta di prova')
  await page.getByRole('button', { name: 'Salva' }).click()
  const row = page.getByRole('row', { name: /Portatile perso in treno/ })
  await expect(row).toContainText(': 71 ore')
  await row.getByRole('button', { name: /Aggiorna/ }).click()
  await expectAccessible(page)
  await page.getByLabel('Rischio', { exact: true }).selectOption('Nessun rischio probabile')
  await page.getByLabel('Perché no, o perché tardi').fill('Il disco era cifrato')
  await page.getByRole('button', { name: 'Salva' }).click()
  await expect(row).toContainText('Nel registro, senza notifica')
})

test('the record of processing begins with the product’s own and is completed with a reason', async ({
  page,
  console,
}) => {
  // A name that is taken.
  console.allow(/409/)
  await page.goto('/admin/security')
  const record = page.getByRole('region', { name: 'Registro dei trattamenti' })
  await expect(record.getByRole('row', { name: /^Account e accesso Titolare/ })).toBeVisible()
  await expect(page.locator('[data-slot="skeleton"]')).toHaveCount(0)
  const name = `Newsletter ${Date.now()}`
  await page.getByRole('button', { name: 'Aggiungi un trattamento' }).click()
  const dialog = page.getByRole('dialog', { name: 'Aggiungi un trattamento' })
  await dialog.getByLabel('Trattamento', { exact: true }).fill('Account e accesso')
  for (const label of ['Finalità', 'Base giuridica', 'Interessati', 'Dati', 'Destinatari', 'Conservazione'])
    await dialog.getByLabel(label, { exact: true }).fill('Scrivere a chi lo ha chiesto')
  await dialog.getByLabel('Trasferimenti fuori dallo SEE').fill('Nessuno')
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(dialog.getByText('Scrivi almeno qualche parola')).toBeVisible()
  await dialog.getByLabel('Misure di sicurezza').fill('TLS')
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(dialog.getByText('C’è già un trattamento con questo nome')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await dialog.getByLabel('Trattamento', { exact: true }).fill(name)
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(record.getByRole('row', { name: new RegExp(`^${name} Titolare`) })).toBeVisible()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('each key of the installation has its age, its day and the way to replace it', async ({ page, account }) => {
  const due = `E2E_${crypto.randomUUID().slice(0, 8)}_KEY`
  // What the job noted a year ago; its next run forgets a key that is not set.
  ask(
    account,
    `insert into private.key_ages (name, digest, used_since)
     select '${due}', md5('x'), now() - interval '13 months' where $1::uuid is not null`,
  )
  await page.goto('/admin/security')
  const keys = page.getByRole('region', { name: 'Età delle chiavi' })
  const first = keys.getByRole('listitem').filter({ hasText: due }).first()
  await expect(first).toContainText('Da cambiare')
  await expect(first).toContainText(/da cambiare entro il \d\d\/\d\d\/\d{4}/)
  await expect(first).toContainText(`Scrivi il nuovo valore in ${due}`)
  const signing = keys.getByRole('listitem').filter({ hasText: 'Chiave che firma le sessioni' })
  await expect(signing).toContainText(/In ordine.*keys rotate/)
  await expect(keys.getByRole('listitem').filter({ hasText: 'Segreto dell’installazione' })).toContainText(
    'senza scadenza',
  )
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('an admin gives a reason before expired holds are released', async ({ page }) => {
  await openMeasured(page, '/admin/credit-audit')
  await page.getByRole('button', { name: 'Libera le riserve scadute' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Motivo').fill('Controllo mensile')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(page.getByText('Riserve scadute liberate')).toBeVisible()
})

test('an action at a loss is marked, and a rate that is missing is written', async ({ page, account }) => {
  const model = `modello-${crypto.randomUUID().slice(0, 8)}`
  const others = await Promise.all([1, 2, 3, 4].map(() => createAccount({ onboarded: false })))
  for (const person of [account, ...others])
    ask(
      person,
      // A free credit, whose use brings nothing.
      `with asked as (select gen_random_uuid() as answer), held as (
         select answer, private.settle_hold(
           (private.hold_credits($1, 1, 'chat:' || answer, 'advice', answer::text)).id, 1, 'chat:' || answer
         ) from asked
       )
       insert into public.ai_usage (user_id, message_id, mode, host, provider, model, tokens_in, tokens_out, credits)
       select $1, answer, 'ia', 'api.example', 'Prova', 'caro', 20000, 5000, 1 from held`,
    )
  ask(
    account,
    `insert into private.ai_rates (host, model, valid_from, input_euros, output_euros, source)
     select 'api.example', 'caro', '2020-01-01', 2, 6, 'Listino di prova' where $1::uuid is not null on conflict do nothing`,
    `insert into public.ai_usage (user_id, message_id, mode, host, provider, model, tokens_in, tokens_out, credits)
     values ($1, gen_random_uuid(), 'ia', 'api.example', 'Prova', '${model}', 200, 50, 0)`,
    "delete from private.admin_snapshots where name = 'credits' and $1::uuid is not null",
    "select $1::uuid, private.take_snapshot('credits', interval '1 hour')",
  )
  await openMeasured(page, '/admin/credit-audit')
  const margins = page.getByRole('region', { name: 'Margine per azione in 30 giorni' })
  await expect(margins.getByRole('row', { name: /^Consiglio dei cinque agenti/ })).toContainText(
    /in perdita-\d+,\d+\s€/,
  )
  await expect(page.getByText(`Manca la tariffa di`)).toContainText(`${model} (api.example)`)
  await page.getByRole('button', { name: 'Nuova tariffa' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Modello').fill(model)
  await dialog.getByLabel('Indirizzo del fornitore').fill('api.example')
  await dialog.getByLabel('Dal giorno').fill('2026-01-01')
  await dialog.getByLabel('In ingresso, €').fill('0,15')
  await dialog.getByLabel('In uscita, €').fill('gratis')
  await dialog.getByRole('button', { name: 'Salva la tariffa' }).click()
  await expect(dialog.getByText('Scrivi gli euro, con al massimo quattro decimali')).toBeVisible()
  await expect(dialog.getByText('Scrivi dove sta scritto')).toBeVisible()
  await dialog.getByLabel('In uscita, €').fill('0.6')
  await dialog.getByLabel('Fonte').fill('Listino del fornitore')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Salva la tariffa' }).click()
  await expect(page.getByText(/^Tariffa salvata/)).toBeVisible()
  const rates = page.getByRole('region', { name: 'Tariffe dei fornitori di IA' })
  await expect(rates.getByRole('row', { name: new RegExp(`^${model}`) })).toContainText(
    /0,15.*0,6.*Listino del fornitore/,
  )
})

test('an admin finds an account, gives credits, makes an admin and suspends it', async ({
  page,
  elsewhere,
  console,
}) => {
  const person = await createAccount({ onboarded: true })
  const address = person.email
  await page.goto('/admin')
  const users = page.getByRole('region', { name: 'Utenti' })
  const row = users.getByRole('row').filter({ hasText: address })
  await users.getByRole('searchbox').fill(address.toUpperCase())
  await expect(users.getByRole('row')).toHaveCount(2)
  await expect(row).toContainText(/Solo password/)
  await expectAccessible(page)
  const act = async (name: string) => {
    await row.getByRole('button', { name: `Azioni su ${address}` }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  const dialog = page.getByRole('dialog')

  const before = Number(await row.getByRole('cell').nth(1).textContent())
  await act('Accredita crediti')
  await dialog.getByLabel('Crediti').fill('5001')
  await dialog.getByRole('button', { name: 'Continua' }).click()
  await expect(dialog.getByText('Scrivi un numero da 1 a 5000')).toBeVisible()
  await dialog.getByLabel('Crediti').fill('25')
  await dialog.getByLabel('Motivo').fill('Per il disagio di ieri')
  await dialog.getByRole('button', { name: 'Continua' }).click()
  await expect(dialog).toContainText('Accreditare 25 crediti?')
  await dialog.getByRole('button', { name: 'Accredita' }).click()
  await expect(page.getByText('Crediti accreditati')).toBeVisible()
  await expect(row.getByRole('cell').nth(1)).toHaveText(String(before + 25))

  for (const [action, done, badge] of [
    ['Rendi amministratore', 'Amministratore aggiunto', true],
    ['Togli da amministratore', 'Amministratore tolto', false],
  ] as const) {
    await act(action)
    await dialog.getByLabel('Motivo').fill('Prova di un ruolo')
    await dialog.getByRole('button', { name: 'Conferma' }).click()
    await expect(page.getByText(done)).toBeVisible()
    await expect(row.getByText('Amministratore', { exact: true })).toHaveCount(badge ? 1 : 0)
  }

  await act('Sospendi')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Scrivi il motivo')
  await dialog.getByLabel('Motivo').fill('Invia spam')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(row.getByText('Sospeso')).toBeVisible()
  const guest = await elsewhere()
  const signIn = async () => {
    await guest.goto('/login')
    await guest.getByLabel('Email').fill(address)
    await guest.getByLabel('Password', { exact: true }).fill(person.password)
    await guest.getByRole('button', { name: 'Accedi', exact: true }).click()
  }
  console.allow(/the server responded with a status of 400/)
  await signIn()
  await expect(guest.getByText('Questo account è sospeso')).toBeVisible()
  await act('Riattiva')
  await dialog.getByLabel('Motivo').fill('Era un errore')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(row.getByText('Sospeso')).toHaveCount(0)
  await signIn()
  await expect(guest).toHaveURL('/home')
  await guest.goto('/settings/privacy')
  const actions = guest.getByRole('list', { name: 'Azioni degli amministratori' })
  await expect(actions.getByRole('listitem')).toHaveCount(5)
  await expect(actions).toContainText('Il tuo account è stato sospeso')
  await expect(actions).toContainText('Per il disagio di ieri')
})

test('an admin saves a view, opens it by its name and its link, renames it and takes a deletion back', async ({
  page,
}) => {
  const menu = (name: string) => page.getByRole('button', { name, exact: true })
  const choose = (name: string | RegExp) => page.getByRole('menuitem', { name }).click()
  await page.goto('/admin/errors')
  await menu('Viste').click()
  await expect(page.getByText(/poi salva qui la vista/)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Silenziati' }).click()
  await page.getByRole('link', { name: '90 giorni' }).click()
  await menu('Viste').click()
  await choose('Salva questa vista…')
  const dialog = page.getByRole('dialog', { name: 'Salva la vista' })
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Scrivi un nome')
  await expectAccessible(page)
  await dialog.getByLabel('Nome della vista').fill('Silenziati del trimestre')
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(menu('Silenziati del trimestre')).toBeVisible()

  await page.goto('/admin/stripe-events')
  await page.getByLabel('Solo quelli da gestire').check()
  await menu('Viste').click()
  await choose('Salva questa vista…')
  await dialog.getByLabel('Nome della vista').fill('silenziati DEL trimestre')
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Hai già una vista con questo nome')
  await dialog.getByLabel('Nome della vista').fill('Eventi da gestire')
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(menu('Eventi da gestire')).toBeVisible()

  await menu('Eventi da gestire').click()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await choose(/^Silenziati del trimestre Errori/)
  await expect(page).toHaveURL(/\/admin\/errors\?.*periodo=90g.*stato=muted/)
  await expect(page.getByRole('link', { name: 'Silenziati' })).toHaveAttribute('aria-current', 'page')
  await page.reload()
  await menu('Silenziati del trimestre').click()
  await choose(/^Rinomina/)
  const rename = page.getByRole('dialog', { name: 'Rinomina la vista' })
  await rename.getByLabel('Nome della vista').fill('Silenziati')
  await rename.getByRole('button', { name: 'Salva' }).click()
  await menu('Silenziati').click()
  await choose(/^Elimina/)
  await expect(menu('Viste')).toBeVisible()
  await page.getByRole('button', { name: 'Annulla' }).click()
  await expect(menu('Silenziati')).toBeVisible()
})

test('an admin writes the next figure of the law with its source', async ({ page }) => {
  await page.goto('/admin')
  const figures = page.getByRole('region', { name: 'Cifre di legge' })
  const row = figures.getByRole('row', { name: /^Mora: tasso del semestre/ })
  await row.first().getByRole('button', { name: 'Nuova' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Salva la cifra' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Scrivi il valore, con al massimo due decimali')
  await dialog.getByLabel('Valore').fill('9,15')
  await dialog.getByLabel('Dal giorno').fill('2099-01-01')
  await dialog.getByLabel('Fonte').fill('GU di prova 1/2099')
  await dialog.getByRole('button', { name: 'Salva la cifra' }).click()
  await expect(row.first()).toContainText('9,15 %')
  await expect(row.first()).toContainText('01/01/2099')
  await expect(row).toHaveCount(2)
  await expectAccessible(page)
})

test('an admin resolves a group of errors, and a newer build opens it again', async ({ page, account }) => {
  const word = `Nope${Math.random().toString(36).slice(2).replaceAll(/\d/g, 'x')}`
  // What the browser reports; of another build it says another release.
  const report = (release: string) =>
    ask(
      account,
      `insert into public.error_logs (user_id, session_id, error_message, url, metadata)
       values ($1, 'e2e', '${word} of "Mario Rossi" 12', 'https://socio.example/crm/7', '{"release": "${release}"}')`,
      'select $1::uuid, private.group_errors()',
    )
  report('old')
  await page.goto('/admin/errors')
  const group = page.getByRole('row').filter({ hasText: word })
  await expect(group).toContainText(`${word} of «…» n`)
  await expect(group).toContainText('/crm')
  await group.getByRole('button', { name: 'Decidi' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^Risolto nella prossima versione/).click()
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Scrivi il motivo')
  await dialog.getByLabel('Motivo').fill('Corretto nel prossimo rilascio')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(page.getByText('Decisione salvata')).toBeVisible()
  await expect(group).toHaveCount(0)
  expect(
    ask(account, "select reason from public.admin_actions where admin_id = $1 and action = 'error.next_release'"),
  ).toContain('Corretto nel prossimo rilascio')
  report('old')
  await page.goto('/admin/errors?stato=resolved')
  await expect(group).toContainText('Risolto nella prossima versione')
  report('newer')
  await page.getByRole('link', { name: 'Aperti', exact: true }).click()
  await expect(group).toContainText('sì')
})

test('an error of the server leads to its line in the log', async ({ page, account }) => {
  const place = `backend/e2e_${crypto.randomUUID().slice(0, 8)}.py`
  ask(
    account,
    `insert into public.error_logs (session_id, error_message, error_stack, source)
     select 'request-e2e', 'KeyError: request failed', '${place} · read', 'server' where $1::uuid is not null`,
    'select $1::uuid, private.group_errors()',
  )
  await page.goto('/admin/errors')
  const group = page.getByRole('row').filter({ hasText: place })
  await expect(group).toContainText(/KeyError: request failed.*server.*request-e2e/)
  await expectAccessible(page)
})

test('an error of the built client is shown as it was written, to admins only', async ({
  page,
  account,
  console,
  request,
}) => {
  // The map of the other build is missing.
  console.allow(/404/)
  const word = `Gone${Math.random().toString(36).slice(2).replaceAll(/\d/g, 'x')}`
  const dist = new URL('../dist/assets/', import.meta.url)
  const script = readdirSync(dist).find((name) => /^admin-page-[\w-]{8}\.js$/.test(name)) ?? ''
  const lines = readFileSync(new URL(script, dist), 'utf8').split('\n')
  const line = lines.findIndex((text) => text.includes('Nessun errore silenziato.'))
  const column = (lines[line] ?? '').indexOf('`Nessun errore silenziato.`') + 1
  expect(column).toBeGreaterThan(0)
  const at = `${script}:${line + 1}:${column}`
  ask(
    account,
    `insert into public.error_logs (user_id, session_id, error_message, error_stack, user_agent, metadata)
     values ($1, 'e2e', '${word}', E'Error: ${word}\\n    at n (https://socio.example/assets/${at})\\n'
       || '    at t (https://socio.example/assets/older-00000000.js:1:20)',
       'Mozilla/5.0 Chrome/150.0', '{"release": "e2e-1", "viewport": "360x740"}')`,
    'select $1::uuid, private.group_errors()',
  )
  await page.goto('/admin/errors')
  await page.getByRole('row').filter({ hasText: word }).getByRole('button', { name: 'Dettagli' }).click()
  const sheet = page.getByRole('dialog', { name: word })
  await expect(sheet).toContainText('versione e2e-1 · Chrome · 360 × 740')
  await expect(sheet.getByText(/^src\/features\/admin\/errors-page\.tsx:\d+:\d+$/)).toBeVisible()
  await expect(sheet.getByText(at)).toBeVisible()
  await expect(sheet.getByRole('group', { name: /errors-page/ })).toContainText('Nessun errore silenziato.')
  await expect(sheet.getByText('older-00000000.js:1:20')).toBeVisible()
  await expect(sheet.getByRole('status')).toContainText('Manca la mappa della versione e2e-1')
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  // A link opens the same.
  await page.reload()
  await expect(sheet.getByText(at)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  await expect(page).not.toHaveURL(/errore=/)

  for (const path of [
    `/assets/${script}.map`,
    `/source-maps/${script}.map.gz`,
    `/functions/v1/source_map?file=${script}`,
  ])
    expect((await request.get(path)).status(), path).toBeGreaterThan(400)
})

test('the analytics of an admin show the funnel with its figures, and what the pages claim', async ({ page }) => {
  await openMeasured(page, '/admin/analytics')
  await expect(page.getByRole('list', { name: 'Dalla visita all’acquisto' }).getByRole('listitem')).toHaveCount(6)
  const figures = page.getByRole('group', { name: 'Dalla visita all’acquisto, tabella' })
  await expect(figures.getByRole('row', { name: /^Registrazioni in 30 giorni/ })).toContainText(/[1-9]/)
  const claims = page.getByRole('region', { name: 'Affermazioni' })
  await expect(claims.getByRole('row', { name: /500 crediti gratis subito dopo la registrazione/ })).toBeVisible()
  const download = page.waitForEvent('download')
  await claims.getByRole('button', { name: 'CSV' }).click()
  expect((await download).suggestedFilename()).toBe('Affermazioni.csv')
})

/** A page of Socio on a phone with Chrome. */
const PIXEL = 'Mozilla/5.0 (Linux; Android 10; K) Chrome/150.0.0.0 Mobile Safari/537.36'

/** Accepts the failure of a cell and sees it turn yellow. */
async function acceptFailure(page: Page, cell: string): Promise<void> {
  const red = page.getByRole('button', { name: `${cell}: fallita` })
  await expect(red).toHaveAttribute('data-state', 'failed')
  await red.click()
  const dialog = page.getByRole('dialog')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Scrivi una nota')
  await dialog.getByLabel('Nota').fill('Si corregge con la prossima versione')
  await dialog.getByRole('button', { name: 'Salva' }).click()
  await expect(page.getByText('Giudizio salvato')).toBeVisible()
  await expect(page.getByRole('button', { name: `${cell}: accettata fino al` })).toHaveAttribute(
    'data-state',
    'accepted',
  )
}

const forgetVerdicts = 'delete from private.qa_verdicts where $1::uuid is not null'

test('a failure on a phone is red with its picture until an admin accepts it', async ({ page, account }) => {
  ask(
    account,
    forgetVerdicts,
    `insert into public.analytics_events (event_name, session_id, properties, user_agent)
     select 'web_vitals', 'phone' || n, '{"page": "/", "viewport": "compact", "lcp": 1200}', '${PIXEL}'
     from generate_series(1, 5) as n where $1::uuid is not null`,
    "delete from private.admin_snapshots where name = 'devices' and $1::uuid is not null",
    "select $1::uuid, private.take_snapshot('devices', interval '1 hour')",
  )
  expect(sendReport('tests/functions/reports/phones.json')).toMatch(/mobile, chromium 156.*: 224 passed, 1 failed/)
  await openMeasured(page, '/admin/mobile-qa')
  await expect(page.getByRole('region', { name: 'Da risolvere' }).getByRole('row')).toHaveCount(2)
  await acceptFailure(page, '/crm/trattative, 768 px')
  await expect(page.getByText('Niente da risolvere.')).toBeVisible()
  expect(
    ask(account, "select reason from public.admin_actions where admin_id = $1 and action = 'qa.verdict'"),
  ).toContain('Si corregge con la prossima versione')
  const devices = page.getByRole('region', { name: 'Dispositivi in 30 giorni' })
  await expect(devices.getByRole('row', { name: /^stretto, sotto 600 px Android/ })).toContainText('1,2 s')
  const download = page.waitForEvent('download')
  await page.getByRole('region', { name: 'Pagine sul telefono' }).getByRole('button', { name: 'CSV' }).click()
  expect((await download).suggestedFilename()).toBe('Pagine sul telefono.csv')

  await page.getByRole('button', { name: '/crm/trattative, 768 px' }).click()
  const picture = page.getByRole('img', { name: '/crm/trattative durante la prova' })
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Apri a 768 px' }).click()
  await expect((await popup).getByRole('heading', { level: 1, name: 'Trattative' })).toBeVisible()
})

test('a failure in a browser is red until an admin accepts it, and a report is imported', async ({
  page,
  account,
  console,
}) => {
  // The first import does not say in which browser.
  console.allow(/the server responded with a status of 422/)
  ask(account, forgetVerdicts)
  await page.goto('/admin/browser-testing')
  await page.getByRole('button', { name: 'Importa esito' }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByLabel('File')
    .setInputFiles(new URL('../../tests/functions/reports/walks.json', import.meta.url).pathname)
  await dialog.getByRole('button', { name: 'Importa', exact: true }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Il report non dice in quale browser e versione: indicali')
  await dialog.getByLabel('Browser').fill('firefox')
  await dialog.getByLabel('Versione').fill('140.2')
  await dialog.getByRole('button', { name: 'Importa', exact: true }).click()
  await expect(page.getByText(/^(Esito importato: 1 da guardare|Questo esito c’era già)$/)).toBeVisible()
  await acceptFailure(page, '/status, Firefox 140')
  const again = sendReport('tests/functions/reports/walks.json', '--browser', 'firefox', '--version', '140.2')
  expect(again).toContain('known already')
  await expectAccessible(page)
})

test('a run that an admin asks for is taken by a machine, cancelled, and its cells come by themselves', async ({
  page,
  account,
}) => {
  const status = page.getByRole('status').filter({ hasText: /macchina di prova|su banco/ })
  const start = page.getByRole('button', { name: 'Avvia prova' })
  await page.goto('/admin/mobile-qa')
  await start.click()
  await expect(status).toContainText(/In attesa di una macchina di prova dalle \d\d:\d\d/)
  await expect(start).toBeDisabled()
  await expectAccessible(page)
  ask(account, "select private.take_qa_request('banco-0')::text where $1::uuid is not null")
  await expect(status).toContainText(/In corso su banco-0 dalle \d\d:\d\d/)
  await page.getByRole('button', { name: 'Annulla la prova' }).click()
  await expect(status).toHaveCount(0)

  await start.click()
  await expect(status).toContainText('In attesa')
  const route = `/e2e/${Date.now()}`
  expect(carryOutQa(route)).toBe('mobile, chromium 150.0: 1 passed, 0 failed\n')
  await expect(page.getByRole('button', { name: `${route}, 360 px: passata` })).toBeVisible()
  await expect(status).toContainText('Finita su banco-1')
  await status.getByRole('link', { name: 'vedi «Ultime prove»' }).click()
  await expect(page.getByRole('region', { name: 'Ultime prove' }).getByRole('row', { name: /e2e/ })).toBeInViewport()
  expect(
    ask(account, "select string_agg(action, ' ' order by id) from public.admin_actions where admin_id = $1"),
  ).toMatch(/qa\.ask qa\.cancel qa\.ask/)
  await expectAccessible(page)
})

/** Page views of this many visits from phones. */
const visit = (sessions: number, route: string, lcp: number) =>
  `insert into public.analytics_events (event_name, session_id, properties, user_agent)
   select 'web_vitals', 'e2e' || n, jsonb_build_object(
     'page', '${route}', 'device', 'phone', 'lcp', ${lcp}, 'inp', 120, 'cls', 0.02, 'ttfb', 240
   ), 'e2e' from generate_series(1, ${sessions}) as n where $1::uuid is not null`

test('pages as visitors see them: thresholds, periods, CSV, and what the client weighs', async ({ page, account }) => {
  ask(
    account,
    visit(5, '/e2e/:slow', 4300),
    visit(4, '/e2e/:hidden', 1000),
    `insert into platform.request_times (hour, endpoint, requests, failures, seconds, buckets)
     select now(), 'POST /functions/v1/e2e_slow', 40, 1, 800, array[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40] where $1::uuid is not null`,
    "delete from private.admin_snapshots where name = 'performance' and $1::uuid is not null",
    "select $1::uuid, private.take_snapshot('performance', interval '1 hour')",
  )
  await openMeasured(page, '/admin/performance')
  const byPage = page.getByRole('region', { name: 'Tempi per pagina' })
  await expect(byPage.getByRole('row', { name: '/e2e/:slow' })).toContainText(
    /telefono.*4,3 s.*120 ms.*0,02.*240 ms.*scarso/,
  )
  await expect(byPage.getByRole('row', { name: '/e2e/:hidden' })).toHaveCount(0)
  await expect(page.getByText(/% buone$/)).toHaveCount(4)
  await page.getByRole('link', { name: '24 ore' }).click()
  await expect(page).toHaveURL(/periodo=24h/)
  await expect(byPage.getByRole('row', { name: '/e2e/:slow' })).toHaveCount(1)
  const download = page.waitForEvent('download')
  await byPage.getByRole('button', { name: 'CSV' }).click()
  expect((await download).suggestedFilename()).toBe('Tempi per pagina.csv')
  const slow = page.getByRole('region', { name: 'Endpoint più lenti' }).getByRole('row', { name: /e2e_slow/ })
  await expect(slow).toContainText(/40.*10 s.*20 s.*2,5 %/)
  await expect(page.getByRole('region', { name: 'Query più lente' })).toContainText('shared_preload_libraries')
  const sizes = page.getByRole('region', { name: 'Peso del client' })
  await expect(sizes.getByRole('row', { name: /^Pagina iniziale/ })).toContainText('entro il limite')
  const releases = page.getByRole('region', { name: 'Peso per versione' })
  await expect(async () => {
    await page.reload()
    await expect(releases.getByRole('row', { name: /^[\w-]{8} .* kB/ })).toHaveCount(1)
  }).toPass({ timeout: 90_000 })
  await expectAccessible(page)
})

test('a visitor who agreed sends the speed of a page when leaving it', async ({ elsewhere, account }) => {
  const guest = await elsewhere()
  await guest.addInitScript(() => {
    localStorage.setItem('cookie_consent', 'accepted')
    localStorage.setItem('cookie_consent_date', new Date().toISOString())
  })
  const library = guest.waitForResponse(/vitals-report/)
  await guest.goto('/faq?da=mario')
  await library
  await guest.getByRole('heading', { level: 1 }).click()
  await guest.waitForLoadState('networkidle')
  await guest.goto('/cookie-policy')
  const sent = `select jsonb_agg(properties)::text from public.analytics_events
     where event_name = 'web_vitals' and user_id is null and $1::uuid is not null`
  await expect
    .poll(() => ask(account, sent))
    .toMatch(
      /"opfs": true, "page": "\/faq", "push": false, "ttfb": \d+, "device": "computer", "speech": true, "viewport": "large"/,
    )
})

test.describe('incidents', () => {
  // One after the other: both are about the mail.
  test.describe.configure({ mode: 'default' })

  test('what an admin writes about an incident is read by everybody at /status', async ({
    page,
    account,
    elsewhere,
  }) => {
    const title = `Posta in ritardo ${Date.now()}`
    runJobs('uptime', 'uptime_journey')
    await expect
      .poll(() => ask(account, "select count(*) from private.journeys where viewpoint = 'worker' and $1::text <> ''"))
      .not.toContain('0')
    await openMeasured(page, '/admin/uptime')
    const worker = page.getByRole('region', { name: 'Worker' })
    const parts = worker.getByRole('list', { name: 'Parti, Worker' }).getByRole('listitem')
    for (const part of [
      'Sito',
      'API e database',
      'Accesso',
      'File',
      'Funzioni',
      'Lavori in background',
      'Percorso di prova',
    ])
      await expect(parts.filter({ has: page.getByRole('heading', { name: part, exact: true }) })).toContainText(
        'Funziona',
      )
    await expect(worker.getByRole('list', { name: 'Passi' }).getByRole('listitem')).toHaveText([
      /Accesso.* ms/,
      /Lettura.* ms/,
      /Scrittura.* ms/,
      /Eliminazione.* ms/,
    ])
    await expect(page.getByRole('region', { name: 'Seconda macchina' })).toContainText('Nessun dato')
    await page.getByRole('button', { name: 'Apri un incidente' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Titolo').fill(title)
    await dialog.getByLabel('Posta in uscita').check()
    await dialog.getByRole('button', { name: 'Pubblica' }).click()
    await expect(dialog.getByRole('alert')).toBeVisible()
    await dialog.getByLabel('Che cosa succede').fill('Alcune e-mail partono tardi')
    await dialog.getByRole('button', { name: 'Pubblica' }).click()
    await expect(page.getByText('Incidente pubblicato')).toBeVisible()

    const guest = await elsewhere()
    await guest.goto('/')
    await guest.getByRole('contentinfo').getByRole('link', { name: 'Stato' }).click()
    await expect(guest).toHaveURL('/status')
    await expect(guest.getByRole('list', { name: 'Parti' })).toContainText('Sito')
    const incident = guest.getByRole('list', { name: 'Incidenti' }).getByRole('listitem').filter({ hasText: title })
    await expect(incident.first()).toContainText('Cerchiamo la causa · Posta in uscita')

    const own = page.getByRole('list', { name: 'Incidenti' }).getByRole('listitem').filter({ hasText: title })
    await own.getByRole('button', { name: 'Aggiorna' }).click()
    await dialog.getByText('Risolto', { exact: true }).click()
    await dialog.getByLabel('Che cosa succede').fill('Tutte le e-mail sono partite')
    await dialog.getByRole('button', { name: 'Pubblica' }).click()
    await expect(own.first()).toContainText('Risolto · Posta in uscita')
    await guest.reload()
    await expect(incident.first()).toContainText('Tutte le e-mail sono partite')
    const logged = "select count(*) from public.admin_actions where admin_id = $1 and action = 'incident.update'"
    expect(ask(account, logged)).toContain('2')
  })

  test('failed checks open an incident by themselves, which an admin takes over', async ({
    page,
    account,
    elsewhere,
  }) => {
    // A first try of this test may have told of it.
    ask(account, "delete from private.alarms where report = 'uptime' and $1::uuid is not null")
    // A little ahead of the worker's own checks, which are no newer and so do not count.
    const check = (isUp: boolean, aheadS: number) =>
      ask(
        account,
        `select private.note_uptime('worker', now() + interval '${aheadS} s',
           jsonb_build_array(jsonb_build_object('part', 'mail', 'is_up', ${isUp}, 'took_ms', 5))) and $1::uuid is not null`,
      )
    for (const aheadS of [60, 61, 62]) check(false, aheadS)

    const guest = await elsewhere()
    await guest.goto('/status')
    const told = guest.getByRole('list', { name: 'Incidenti' }).getByRole('listitem')
    await expect(told.first()).toContainText('Interruzione: Posta in uscita')
    await expect(told.first()).toContainText('Cerchiamo la causa · Posta in uscita · Aperto automaticamente')
    await expect(told.first()).toContainText('non vanno a buon fine per: Posta in uscita. Stiamo verificando.')

    // Every admin is told, and one looks after it.
    await page.goto('/notifications')
    await page
      .getByText(/Da risolvere: Disponibilità|allarmi/)
      .first()
      .click()
    await expect(page).toHaveURL('/admin')
    const alarm = page
      .getByRole('list', { name: 'Da fare' })
      .getByRole('listitem')
      .filter({ hasText: 'Interruzioni aperte: 1' })
    // Other tests make faults too, and three are shown at first.
    await expect(async () => {
      if (!(await alarm.isVisible())) await page.getByRole('button', { name: /^Mostra tutte/ }).click({ timeout: 1000 })
      await expect(alarm).toContainText('Da risolvereDisponibilità', { timeout: 1000 })
    }).toPass({ timeout: 30_000 })
    await alarm.getByRole('button', { name: 'Me ne occupo' }).click()
    await expect(alarm).toContainText(/Se ne occupa \S/)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)

    await openMeasured(page, '/admin/uptime')
    const own = page
      .getByRole('list', { name: 'Incidenti' })
      .getByRole('listitem')
      .filter({ hasText: 'Aperto automaticamente' })
    await own.first().getByRole('button', { name: 'Aggiorna' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('I controlli lo chiudono da soli; se scrivi qui lo segui tu, e lo chiudi tu.')
    await dialog.getByText('Titolo e parti colpite').click()
    await expect(dialog.getByLabel('Posta in uscita')).toBeChecked()
    await dialog.getByLabel('Titolo').fill('La posta parte in ritardo')
    await dialog.getByText('Causa trovata', { exact: true }).click()
    await dialog.getByLabel('Che cosa succede').fill('Il fornitore della posta è fermo')
    await dialog.getByRole('button', { name: 'Pubblica' }).click()
    await expect(own.first()).toContainText('La posta parte in ritardo')

    for (const aheadS of [63, 64, 65, 66, 67, 68]) check(true, aheadS)
    await guest.reload()
    await expect(told.first()).toContainText('Causa trovata · Posta in uscita · Aperto automaticamente')
    await own.first().getByRole('button', { name: 'Aggiorna' }).click()
    await expect(dialog).not.toContainText('I controlli lo chiudono da soli')
    await dialog.getByText('Risolto', { exact: true }).click()
    await dialog.getByLabel('Che cosa succede').fill('La posta parte di nuovo')
    await dialog.getByRole('button', { name: 'Pubblica' }).click()
    await guest.reload()
    await expect(told.first()).toContainText('Risolto · Posta in uscita · Aperto automaticamente')
  })
})
