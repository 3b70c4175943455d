/** A text to a contact that began with a template: its places with the values that a letter to them would have. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { useAuth, useUser } from '@/data/auth-context'
import type { Draft } from '@/data/drafts'
import { mailAboutContactQuery } from '@/data/mail-templates'
import { fillPlaces, openPlaces } from '@/lib/mail-places'
import { mailValues } from '@/strings/mail-variables'

type Fill = (text: string) => string
type Props = { contactId: string; children: (fill: Fill) => ReactNode }

/** `text` decides whether there is anything to fill in; places without a value stay. */
export function FilledPlaces({
  contactId,
  text,
  children,
}: Omit<Props, 'contactId'> & { contactId: string | null; text: string }) {
  const hasPlaces = openPlaces(text).some(({ isHint }) => !isHint)
  return contactId && hasPlaces ? <Filling contactId={contactId}>{children}</Filling> : children((each) => each)
}

function Filling({ contactId, children }: Props) {
  const { id: userId } = useUser()
  const { profile } = useAuth()
  const { data: about } = useQuery(mailAboutContactQuery(userId, contactId, profile))
  const values = about ? mailValues(about) : new Map<string, string>()
  return children((text) => fillPlaces(text, values))
}

/** A draft as its contact would get it. */
export function FilledDraft({ draft, children }: { draft: Draft; children: (filled: Draft) => ReactNode }) {
  const { contact_id: contactId, subject, body } = draft
  return (
    <FilledPlaces contactId={contactId} text={`${subject} ${body}`}>
      {(fill) => children({ ...draft, subject: subject && fill(subject), body: fill(body) })}
    </FilledPlaces>
  )
}
