/** While a contact is typed: who it may already be. */
import { useQuery } from '@tanstack/react-query'
import { UsersIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { Link } from 'react-router'

import type { ContactValues } from '@/data/contacts-form'
import { type Draft, similarContactsQuery } from '@/data/contacts-similar'
import { paths } from '@/paths'

/** Asked for when the typing pauses. */
const PAUSE_MS = 400
const SHOWN = 3

const reasons: Record<string, string> = {
  email: 'stessa email',
  telefono: 'stesso telefono',
  partita_iva: 'stessa partita IVA',
  codice_fiscale: 'stesso codice fiscale',
  azienda: 'nome simile, stessa azienda',
  dominio: 'nome simile, stesso dominio',
}

const isNothing = ({ firstName, lastName, businessName, emails, phones, vatNumber, taxCode }: Draft) =>
  [firstName + lastName, businessName, vatNumber, taxCode, ...emails.map(({ value }) => value)].every(
    (text) => text.trim().length < 4,
  ) && phones.every(({ value }) => value.trim().length < 6)

export function DuplicateHint() {
  const [type, firstName, lastName, businessName, emails, phones, vatNumber, taxCode] = useWatch<
    ContactValues,
    ['type', 'firstName', 'lastName', 'businessName', 'emails', 'phones', 'vatNumber', 'taxCode']
  >({ name: ['type', 'firstName', 'lastName', 'businessName', 'emails', 'phones', 'vatNumber', 'taxCode'] })
  const typed = JSON.stringify({ type, firstName, lastName, businessName, emails, phones, vatNumber, taxCode })
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(typed), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [typed])
  const draft = JSON.parse(settled) as Draft
  // A hint only: without an answer the form works as well.
  const { data = [] } = useQuery({ ...similarContactsQuery(draft), enabled: !isNothing(draft) })
  if (data.length === 0) return null

  return (
    <div role="status" className="grid gap-1 rounded-md bg-warning-tint px-4 py-3 text-sm">
      <p className="flex items-center gap-2 font-medium">
        <UsersIcon aria-hidden className="size-4" /> Forse c’è già
      </p>
      <ul>
        {data.slice(0, SHOWN).map(({ id, name, reasons: why }) => (
          <li key={id}>
            <Link to={paths.crmContact(id)} className="inline-flex min-h-9 items-center underline">
              {name}
            </Link>{' '}
            <span className="text-muted-foreground">{why.map((reason) => reasons[reason] ?? reason).join(', ')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
