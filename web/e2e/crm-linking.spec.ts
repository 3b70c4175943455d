/**
 * /crm/da-collegare: papers of two counterparties, one a contact already, one not: both linked at once, and taken back.
 */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const paper = (name: string, file: string) =>
  `insert into public.documents (user_id, storage_path, filename, state, kind, supplier)
   values ($1::uuid, ($1::uuid)::text || '/x/${file}', '${file}', 'pronto', 'altro', '${JSON.stringify(name ? { name } : {})}')`

test('papers without a contact are linked, or make one, at once, and wait again after an undo @journey', async ({
  page,
  account,
}) => {
  ask(
    account,
    "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', 'Verdi S.r.l.')",
    paper('VERDI SRL', 'verdi.pdf'),
    paper('Tipografia Neri', 'neri-1.pdf'),
    paper('tipografia  neri', 'neri-2.pdf'),
  )
  await page.goto('/documents')
  await expect(page.getByText('2 controparti dei tuoi documenti non sono tra i contatti')).toBeVisible()
  await page.getByRole('link', { name: 'Collega' }).click()
  const verdi = page.getByRole('listitem', { name: 'VERDI SRL' })
  await expect(verdi.getByRole('radio', { name: 'Verdi S.r.l. stesso nome' })).toBeChecked()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Nuovo contatto per l’altro' }).click()
  await page.getByRole('button', { name: 'Conferma tutti (2)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Collegare 1 nome e creare 1 contatto?' })
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(page.getByText('Tutto collegato')).toBeVisible()
  await expect(page.getByText('3 documenti collegati, 1 contatto creato')).toBeVisible()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(page.getByRole('listitem', { name: /neri/i })).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(page.getByText('Non te lo proporremo più')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Da collegare' }).getByRole('listitem')).toHaveCount(1)
})
