import type { ReactNode } from 'react'
import { Link } from 'react-router'

import type { Memory } from '@/data/memories'
import { paths } from '@/paths'
import { dayAndMonth, fullDate } from '@/strings/dates'
import { memorySources } from '@/strings/memory'

type Props = { memory: Memory; children?: ReactNode }

/** The receipt of a fact: about whom, from where, and the sentence it came from. */
export function Source({ memory, children }: Props) {
  const { contact, source, source_quote, created_at } = memory
  return (
    <p className="text-sm break-words text-muted-foreground">
      {contact && (
        <>
          <Link to={paths.crmContact(contact.id)} className="underline underline-offset-2 hover:text-foreground">
            {contact.name ?? 'Contatto'}
          </Link>
          {' · '}
        </>
      )}
      {memorySources[source]},{' '}
      <time dateTime={created_at} title={fullDate(created_at)}>
        {dayAndMonth(created_at)}
      </time>
      {source_quote && <> · «{source_quote}»</>}
      {children}
    </p>
  )
}
