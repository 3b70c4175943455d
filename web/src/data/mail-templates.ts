/** Templates that a person begins mails with, and what a mail that uses one is about. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { contactQuery, type WholeContact } from '@/data/contacts'
import { unwrap } from '@/data/postgrest'
import type { Profile } from '@/data/profiles'
import { dealRecordQuery } from '@/data/records'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { romeDay } from '@/lib/rome-time'
import { supabase } from '@/lib/supabase'
import type { MailAbout } from '@/strings/mail-variables'

export type MailTemplate = Pick<Tables<'mail_templates'>, 'id' | 'name' | 'subject' | 'body'>
export type TemplateText = Omit<MailTemplate, 'id'>

const templatesKey = (userId: string) => ['mail_templates', userId] as const

/** By name; there are a hundred at most. */
export function mailTemplatesQuery(userId: string) {
  return queryOptions({
    queryKey: templatesKey(userId),
    queryFn: async (): Promise<MailTemplate[]> => {
      await currentUser()
      const rows = unwrap(await supabase.from('mail_templates').select('id, name, subject, body').limit(200))
      return rows.toSorted((a, b) => a.name.localeCompare(b.name, 'it'))
    },
  })
}

function useTemplateChange<V>(userId: string, mutationFn: (value: V) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: templatesKey(userId) }),
  })
}

/**
 * Writes a template under an id that was chosen here: a second attempt makes no second one, and one that was deleted
 * elsewhere is there again. @throws DataError 23505 when the name is taken, SM013 when no more fit
 */
export function useSaveTemplate(userId: string) {
  return useTemplateChange(userId, async ({ id, ...text }: MailTemplate) => {
    const changed = unwrap(await supabase.from('mail_templates').update(text).eq('id', id).select('id'))
    if (changed.length === 0) unwrap(await supabase.from('mail_templates').insert({ id, ...text }))
  })
}

export function useDeleteTemplate(userId: string) {
  return useTemplateChange(userId, async (id: string) =>
    unwrap(await supabase.from('mail_templates').delete().eq('id', id)),
  )
}

/** The person, as mails name them. */
export const mailAuthor = (profile: Profile | null): MailAbout['me'] => ({
  name: profile?.full_name ?? null,
  business: profile?.business_name ?? null,
})

type Subject = {
  contact: WholeContact
  profile: Profile | null
  invoiceId?: string | null | undefined
  dealId?: string | null | undefined
}

/** What a mail to this contact is about; what is gone meanwhile is null. */
export function mailAboutQuery(userId: string, { contact, profile, invoiceId, dealId }: Subject) {
  return queryOptions({
    queryKey: ['mail_about', userId, contact.id, invoiceId ?? null, dealId ?? null],
    queryFn: async ({ client }): Promise<MailAbout> => {
      const [invoice, deal] = await Promise.all([
        invoiceId ? fetchInvoice(invoiceId) : null,
        dealId ? client.fetchQuery(dealRecordQuery(userId, dealId)) : null,
      ])
      return {
        contact: {
          firstName: contact.first_name,
          lastName: contact.last_name,
          name: contact.name,
          company: contact.type === 'azienda' ? contact.name : (contact.listed?.company_name ?? null),
        },
        me: mailAuthor(profile),
        invoice,
        deal: deal && { title: deal.title, cents: deal.amount_cents, currency: deal.currency },
        today: romeDay(new Date()),
      }
    },
    // The facts are those of the moment in which a template is chosen.
    staleTime: 0,
    gcTime: 0,
  })
}

/** What a mail to this contact is about that goes with no invoice and no deal; null when the contact is gone. */
export function mailAboutContactQuery(userId: string, contactId: string, profile: Profile | null) {
  return queryOptions({
    queryKey: ['mail_about', userId, contactId, mailAuthor(profile)],
    queryFn: async ({ client }): Promise<MailAbout | null> => {
      const contact = await client.fetchQuery(contactQuery(contactId))
      return contact && client.fetchQuery(mailAboutQuery(userId, { contact, profile }))
    },
  })
}

type InvoiceRow = {
  number: string
  issued_on: string
  currency: string
  total_cents: number
  open_cents: number
  late_cents: number | null
  next_due_on: string | null
}

async function fetchInvoice(id: string): Promise<MailAbout['invoice']> {
  await currentUser()
  const row = unwrap(
    await supabase
      .from('invoice_register')
      .select('number, issued_on, currency, total_cents, open_cents, late_cents, next_due_on')
      .eq('id', id)
      .maybeSingle()
      .overrideTypes<InvoiceRow, { merge: false }>(),
  )
  return (
    row && {
      number: row.number,
      issuedOn: row.issued_on,
      currency: row.currency,
      totalCents: row.total_cents,
      openCents: row.open_cents,
      lateCents: row.late_cents ?? 0,
      dueOn: row.next_due_on,
    }
  )
}
