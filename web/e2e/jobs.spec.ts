/**
 * The twelve jobs of a day, each from /home with the demo business: how many clicks or key presses decide
 * something (a sentence with its Enter is one), and how long it takes. `make bench only=jobs` writes both down.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

import type { Locator, Page } from '@playwright/test'

import { type Account, connectMail } from './support/accounts'
import { ask } from './support/database'
import { fillDemo } from './support/demo'
import { scan } from './support/papers'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const READ_MS = 45_000

/** The hand of the person, which counts. */
class Hand {
  steps = 0

  async press(target: Locator): Promise<void> {
    this.steps += 1
    await target.click()
  }

  async say(field: Locator, sentence: string, end = 'Enter'): Promise<void> {
    this.steps += 1
    await field.fill(sentence)
    await field.press(end)
  }
}

type Scene = { page: Page; account: Account; hand: Hand }
type Job = {
  name: string
  most: number
  /** Where it begins, when that is not /home. */
  prepare?: (scene: Scene) => Promise<unknown>
  run: (scene: Scene) => Promise<unknown>
}

const main = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Principale' }).getByRole('link', { name, exact: true })
const late = (page: Page) =>
  page.getByRole('list', { name: 'Da fare adesso' }).getByRole('listitem').filter({ hasText: 'Edilizia Solida' })
const question = (page: Page) => page.getByLabel('Chiedi a Socio')
const thread = (page: Page) => page.getByRole('log', { name: 'Conversazione' })
/** The first answer of a process waits for its libraries. */
const ANSWER = { timeout: 30_000 }

async function say(scene: Scene, sentence: string): Promise<void> {
  await scene.hand.say(question(scene.page), sentence)
}

async function approve({ page, hand }: Scene): Promise<void> {
  const approval = thread(page).getByRole('button', { name: 'Approva', exact: true })
  await expect(approval).toBeVisible(ANSWER)
  await hand.press(approval)
  await expect(thread(page).getByRole('article')).toContainText('Fatto')
}

const BILL = [
  'Fornitura Rossi Srl',
  'P.IVA 09876540155',
  'Spett.le Giulia Ferri - P.IVA 09000018888',
  'FATTURA n. 5/2026',
  'Data documento: 16/11/2026',
  'Imponibile 1.000,00',
  'IVA 22% 220,00',
  'Totale fattura 1.220,00',
  'Scadenza: 16/12/2099',
]

const WORKBOOK = `import openpyxl, io, sys
book = openpyxl.Workbook()
book.active.append(['Nome', 'Cognome', 'E-mail'])
for number in range(60):
    name = ''.join(consonant + vowel for consonant, vowel in zip('blmrt'[number % 5] + 'cdgz'[number // 5 % 4] + 'nsv'[number // 20], 'aio'))
    book.active.append([name.title(), name[::-1].title(), f'persona{number}@esempio.it'])
file = io.BytesIO()
book.save(file)
sys.stdout.buffer.write(file.getvalue())`

const QUESTION = `select private.keep_received_mail($1, jsonb_build_object('id', gen_random_uuid(),
  'folder', 'ricevuti', 'folder_name', 'INBOX', 'uidvalidity', 1, 'message_uid', 1, 'message_id', '<1@example.com>', 'sha256',
  repeat('1', 64), 'reference_ids', array[]::text[], 'kind', 'persona', 'sender', address.value, 'sender_name', 'Hotel Bellavista',
  'recipients', array[]::text[], 'party', address.value, 'subject', 'Consegna', 'body', 'Quando arrivano i menù?', 'quoted', '',
  'warnings', '[]'::jsonb, 'files', '[]'::jsonb, 'is_whole', true, 'bytes', 1, 'at', now()))
  from public.contact_emails as address join public.contacts on contacts.id = contact_id
  where contacts.user_id = $1 and contacts.name = 'Hotel Bellavista' limit 1`

const workbook = () => ({ name: 'clienti.xlsx', mimeType: '', buffer: execFileSync('python', ['-c', WORKBOOK]) })

const jobs: Job[] = [
  {
    name: 'see who owes me, how much, since when',
    most: 0,
    run: ({ page }) => expect(late(page)).toContainText(/\d,\d\d\s€.*Scaduta da/s),
  },
  {
    name: 'remind a late payer, PDF attached',
    most: 3,
    async run({ page, account, hand }) {
      await hand.press(late(page).getByRole('button', { name: 'Sollecita' }))
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Invia' }))
      const letter = page.getByRole('dialog', { name: /^Scrivi a/ })
      await expect(letter.getByLabel('Allega il PDF della fattura')).toBeChecked()
      await hand.press(letter.getByRole('button', { name: 'Invia' }))
      // In the quiet hours of whoever gets it, it waits for the morning.
      await expect(page.getByText(/^(?:Inviata tra 10 secondi|Parte \S+ \d)/)).toBeVisible()
      const mails = 'select count(*) from public.outgoing_mails where user_id = $1 and invoice_id is not null'
      expect(ask(account, mails).trim()).toBe('1')
    },
  },
  {
    name: 'answer a client’s mail',
    most: 3,
    async prepare({ page, account }) {
      ask(account, `select private.save_mail_inbox($1, '127.0.0.1', 1, 'starttls', false)`, QUESTION)
      await page.reload()
    },
    async run({ page, account, hand }) {
      await hand.press(page.getByRole('list', { name: 'Posta da gestire' }).getByRole('link', { name: /Consegna/ }))
      await hand.press(page.getByRole('region', { name: 'Consegna' }).getByRole('button', { name: 'Rispondi' }))
      const letter = page.getByRole('dialog', { name: /^Scrivi a/ })
      await hand.say(letter.getByLabel('Testo'), 'Arrivano giovedì mattina.', 'Control+Enter')
      // The letter says it in the conversation, and so does the message.
      await expect(page.getByText(/^(?:Inviata tra 10 secondi|Parte \S+ \d)/).first()).toBeVisible()
      const answers = `select count(*) from public.outgoing_mails where user_id = $1 and body like 'Arrivano giovedì%'`
      expect(ask(account, answers).trim()).toBe('1')
    },
  },
  {
    name: 'file a bill from a photo, with its due date',
    most: 2,
    // The photo is taken on the screen of the documents; what is decided about it counts.
    prepare: ({ page }) => page.goto('/documents'),
    async run({ page }) {
      await page.getByLabel('File da caricare').setInputFiles([await scan(page, 'bolletta.jpg', BILL)])
      await expect(page.getByText(/Nel registro: 1\.220,00.€ da pagare.*scade il 16/)).toBeVisible({ timeout: READ_MS })
    },
  },
  {
    name: 'see the day and finish a task',
    most: 1,
    async run({ page, account, hand }) {
      const boxes = page.getByRole('list', { name: 'Attività di oggi' }).getByRole('checkbox')
      await hand.press(boxes.first())
      await expect(page.getByText('Attività completata', { exact: true })).toBeVisible()
      const done = "select count(*) from public.tasks where user_id = $1 and completed_at > now() - interval '1 minute'"
      expect(ask(account, done).trim()).toBe('1')
    },
  },
  {
    name: 'add a task in a sentence',
    most: 1,
    async run({ page, account, hand }) {
      await hand.say(page.getByRole('textbox', { name: 'Nuova attività' }), 'domani alle 15 chiamare @Ottica')
      await expect(page.getByRole('textbox', { name: 'Nuova attività' })).toHaveValue('')
      await expect
        .poll(() =>
          ask(
            account,
            "select count(*) from public.tasks where user_id = $1 and contact_id is not null and not due_is_allday and created_at > now() - interval '1 minute'",
          ).trim(),
        )
        .toBe('1')
    },
  },
  {
    name: 'log a call with what was said',
    most: 2,
    async run(scene) {
      await say(scene, 'Ho sentito Hotel Bellavista al telefono: vuole anticipare la consegna')
      await approve(scene)
      const said =
        "select summary from public.interactions where user_id = $1 and kind = 'chiamata' order by created_at desc"
      expect(ask(scene.account, said)).toContain('Vuole anticipare la consegna')
    },
  },
  {
    name: 'know when I last heard somebody',
    most: 1,
    async run(scene) {
      await say(scene, 'Quando ho sentito l’ultima volta Hotel Bellavista?')
      await expect(thread(scene.page)).toContainText(/Hotel Bellavista.*oggi/s, ANSWER)
    },
  },
  {
    name: 'find a paper by a word inside it',
    most: 2,
    async run({ page, hand }) {
      await hand.press(main(page, 'Docs'))
      await hand.say(page.getByLabel('Cerca nei documenti'), 'penale')
      await expect(page.getByRole('link', { name: /Contratto Cantina Poggio Alto/ }).first()).toBeVisible()
    },
  },
  {
    name: 'move a deal after a call',
    most: 2,
    async run(scene) {
      await say(scene, 'Sposta la trattativa Insegna e menù in Qualificato')
      await approve(scene)
      const stage =
        "select stages.name from public.deals join public.stages on stages.id = stage_id where deals.user_id = $1 and title = 'Insegna e menù'"
      expect(ask(scene.account, stage).trim()).toBe('Qualificato')
    },
  },
  {
    name: 'bring 60 clients in from Excel',
    most: 4,
    async run({ page, account, hand }) {
      await hand.press(main(page, 'CRM'))
      await hand.press(page.getByRole('link', { name: 'Importa' }))
      const chooser = page.waitForEvent('filechooser')
      await hand.press(page.getByRole('button', { name: 'Scegli il file' }))
      await (await chooser).setFiles(workbook())
      await hand.press(page.getByRole('button', { name: 'Importa 60 contatti' }))
      await expect(page.getByText('«clienti.xlsx» è importato')).toBeVisible({ timeout: READ_MS })
      const addresses = "select count(*) from public.contact_emails where user_id = $1 and value like 'persona%'"
      expect(ask(account, addresses).trim()).toBe('60')
    },
  },
  {
    name: 'hand the month to the accountant',
    most: 3,
    async run({ page, hand }) {
      await hand.press(page.getByRole('list', { name: 'In breve' }).getByRole('link', { name: 'Da incassare' }))
      await hand.press(page.getByRole('button', { name: 'Per il commercialista' }))
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        hand.press(page.getByRole('button', { name: 'Scarica' })),
      ])
      expect(file.suggestedFilename()).toMatch(/^Pacchetto-\d{4}-\d\d-.+\.zip$/)
    },
  },
]

test('the jobs of a day take no more steps than they may', async ({ page, account }) => {
  test.setTimeout(300_000)
  fillDemo(account)
  await connectMail(account)
  const taken: { name: string; steps: number; most: number; seconds: number }[] = []
  for (const { name, most, prepare, run } of jobs) {
    await test.step(name, async () => {
      const scene = { page, account, hand: new Hand() }
      await page.goto('/home')
      await expect(page.getByRole('list', { name: 'In breve' })).toBeVisible()
      await prepare?.(scene)
      const began = Date.now()
      await run(scene)
      taken.push({ name, most, steps: scene.hand.steps, seconds: (Date.now() - began) / 1000 })
      expect.soft(scene.hand.steps, name).toBeLessThanOrEqual(most)
    })
  }
  const { SOCIO_JOBS_JSON: file } = process.env
  if (file) writeFileSync(file, JSON.stringify(taken))
})
