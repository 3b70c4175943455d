/** Certified mail and reports: ticks and errors at sent mails, an envelope and an invitation in the inbox. */
import { randomUUID } from 'node:crypto'

import { type Account } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { ask } from './support/database'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

/** A certified mailbox that has sent three mails and received one with an invitation. */
function populate(account: Account): void {
  const contactId = addCompany(account)
  const address = `neri-${randomUUID()}@pec.example.com`
  const mails = [
    ['Diffida ad adempiere', 'sent', 'null', 'null'],
    ['Recesso dal contratto', 'failed', "'bounced'", "'5.1.1 - indirizzo inesistente'"],
    ['Richiesta di rimborso', 'sent', 'null', 'null'],
  ].map(([subject, state, error, reply], place) => {
    const sentAt = state === 'sent' ? `now() - interval '${place * 8} hours'` : 'null'
    return ask(
      account,
      `insert into public.outgoing_mails (user_id, contact_id, key, recipient, subject, body, basis, message_id, not_before,
         expires_at, state, error, reply, is_certified, sent_at)
       values ($1, '${contactId}', gen_random_uuid(), '${address}', '${subject}', 'Buongiorno.', 'contratto',
         '<${randomUUID()}@studio.example>', now(), now(), '${state}', ${error}, ${reply}, true, ${sentAt})
       returning id::text`,
    ).trim()
  })
  for (const [place, kind] of [
    [0, 'accettazione'],
    [0, 'avvenuta-consegna'],
    [2, 'accettazione'],
  ] as const)
    ask(
      account,
      `insert into public.mail_reports (user_id, outgoing_id, kind, sha256, at)
       values ($1, '${mails[place]}', '${kind}', repeat('0', 64), '2026-11-26T09:15:32Z')`,
    )
  ask(
    account,
    `select private.save_mail_account($1, 'smtps.pec.aruba.it', 465, 'tls', 'io', 'io@pec.example.com', 'Io', null, '', true)`,
    `select private.save_mail_inbox($1, '127.0.0.1', 1, 'starttls', false)`,
    `select thread_id from private.keep_received_mail($1, jsonb_build_object('id', gen_random_uuid(), 'folder', 'ricevuti',
       'folder_name', 'INBOX', 'uidvalidity', 1, 'message_uid', 1, 'message_id', '<1@pec.example.com>', 'sha256',
       repeat('1', 64), 'reference_ids', array[]::text[], 'kind', 'persona', 'sender', '${address}', 'sender_name',
       'Carla Neri', 'recipients', array[]::text[], 'party', '${address}', 'subject', 'Convocazione', 'body',
       'Vi aspettiamo.', 'quoted', '', 'warnings', '[]'::jsonb, 'files', '[]'::jsonb, 'is_whole', true, 'bytes', 1, 'at', now(),
       'certificate', '{"is_certified": true, "at": "2026-11-26T09:15:32Z", "provider": "Gestore di prova"}'::jsonb,
       'invitation', '{"title": "Riunione di cantiere", "starts_at": "2026-12-01T09:00:00Z", "is_allday": false,
         "place": "Via Roma 1", "is_cancelled": false, "repeats": false}'::jsonb))`,
  )
}

test('sent certified mails have ticks, and those that came back say why', async ({ page, account }) => {
  populate(account)
  await page.goto('/crm?vista=posta&stato=inviati')
  const rowOf = (subject: string) => page.getByRole('listitem').filter({ hasText: subject })
  await expect(rowOf('Diffida')).toContainText('Consegnata 26 novembre 2026')
  await expect(rowOf('Diffida').getByRole('button', { name: 'Scarica la prova' })).toBeVisible()
  await expect(rowOf('Recesso')).toContainText('Respinta: la casella non esiste')
  await expect(rowOf('rimborso')).toContainText('In ritardo: dopo 12 ore non c’è ancora la consegna')
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('a received certified mail shows its legal time, and its invitation becomes one task', async ({
  page,
  account,
}) => {
  populate(account)
  await page.goto('/crm?vista=posta')
  await page.getByRole('button', { name: /Carla Neri/ }).click()
  const thread = page.getByRole('region', { name: 'Convocazione' })
  await expect(thread.getByText(/^PEC · 26 novembre 2026.*Gestore di prova$/)).toBeVisible()
  await thread.getByRole('button', { name: 'Aggiungi alle attività' }).click()
  await expect(thread.getByRole('link', { name: 'È tra le tue attività' })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await thread.getByRole('link', { name: 'È tra le tue attività' }).click()
  await expect(page.getByText('Riunione di cantiere').first()).toBeVisible()
})

test('a PEC preset fills the servers and says which password to make', async ({ page }) => {
  await page.goto('/settings/channels')
  await page.getByRole('button', { name: 'Aruba PEC' }).click()
  await expect(page.getByLabel('Server SMTP')).toHaveValue('smtps.pec.aruba.it')
  await expect(page.getByLabel('È una casella di posta certificata (PEC)')).toBeChecked()
  await expect(page.getByText('password dedicata')).toBeVisible()
  await expectAccessible(page)
})
