/** A reminder to who owes a late invoice, from the person's own mail account. */
import { useQueryClient } from '@tanstack/react-query'

import { SendMailButton } from '@/components/send-mail-button'
import { useAuth, useUser } from '@/data/auth-context'
import { contactQuery } from '@/data/contacts'
import type { RegisteredInvoice } from '@/data/invoices'
import { invoiceIbansQuery, payTo } from '@/data/pay-to'
import { romeDay } from '@/lib/rome-time'
import { reminderLetter } from '@/strings/reminders'

const DAY_MS = 86_400_000

const daysSince = (day: string) => Math.round((Date.parse(romeDay(new Date())) - Date.parse(day)) / DAY_MS)

type Props = { invoice: RegisteredInvoice; contactId: string; dueOn: string }

export function RemindByMail({ invoice, contactId, dueOn }: Props) {
  const { profile } = useAuth()
  const { id: userId } = useUser()
  const client = useQueryClient()

  async function letter() {
    const [contact, ibans] = await Promise.all([
      client.fetchQuery(contactQuery(contactId)),
      client.fetchQuery(invoiceIbansQuery(userId, invoice.id)),
    ])
    if (!contact) throw new Error(`the contact ${contactId} is gone`)
    return {
      contactId,
      recipient: null,
      invoiceId: invoice.id,
      ...reminderLetter(contact.name, contact.type === 'azienda', profile?.business_name ?? profile?.full_name ?? '', {
        number: invoice.number,
        cents: invoice.late_cents ?? 0,
        currency: invoice.currency,
        issuedOn: invoice.issued_on,
        dueOn,
        lateDays: daysSince(dueOn),
        payTo: payTo(profile, ibans),
      }),
    }
  }

  return <SendMailButton label="Sollecita" hint={`la fattura ${invoice.number}`} letter={letter} />
}
