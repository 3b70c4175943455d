import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Choice } from '@/components/choice'
import { ContactField } from '@/components/contact-field'
import { QuickAdd } from '@/components/quick-add/quick-add'
import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Card, CardHeader, CardTitle } from '@/components/ui/card'
import { Spinner } from '@/components/ui/spinner'
import type { FoundContact } from '@/data/contact-search'
import { useAddToTimeline } from '@/data/contacts-timeline'
import { KEPT } from '@/data/outbox'
import { projectsQuery } from '@/data/projects'
import { paths } from '@/paths'

type Kind = 'task' | 'note'
type Props = { userId: string; id: string; text: string; onUsed: () => void; onRefuse: () => void }

const TITLE_LENGTH = 200
const kinds: [Kind, string][] = [
  ['task', 'Attività'],
  ['note', 'Nota su un contatto'],
]

/** A text or a link: a task, or a note about a contact. */
export function SharedText({ userId, id, text, onUsed, onRefuse }: Props) {
  const [kind, setKind] = useState<Kind>('task')
  const { data: projects = [] } = useQuery(projectsQuery(userId))
  const title = (text.split('\n', 1)[0] ?? '').slice(0, TITLE_LENGTH)
  return (
    <Card>
      <CardHeader>
        <CardTitle>Testo</CardTitle>
      </CardHeader>
      <blockquote className="max-h-48 overflow-y-auto border-l-2 pl-3 text-sm break-words whitespace-pre-wrap">
        {text}
      </blockquote>
      <Choice label="Che cosa ne faccio" value={kind} options={kinds} onChange={setKind} />
      {kind === 'task' ? (
        <QuickAdd
          userId={userId}
          projects={projects}
          // What does not fit into a title is in its notes.
          defaults={title === text ? {} : { notes: text }}
          firstPosition={null}
          written={title}
          onAdded={onUsed}
        />
      ) : (
        <Note userId={userId} id={id} text={text} onUsed={onUsed} />
      )}
      <div>
        <Button variant="ghost" className="-ml-3" onClick={onRefuse}>
          Scarta
        </Button>
      </div>
    </Card>
  )
}

type NoteProps = Pick<Props, 'userId' | 'id' | 'text' | 'onUsed'>

function Note({ userId, id, text, onUsed }: NoteProps) {
  const [contact, setContact] = useState<FoundContact | null>(null)
  const add = useAddToTimeline(userId, contact?.id ?? '')

  async function save(event: FormEvent) {
    event.preventDefault()
    if (!contact) return
    let isKept = false
    try {
      // The id of what was shared: sent again, it is the same note.
      isKept = (await add.mutateAsync({ id, table: 'notes', body: text })) === KEPT
    } catch (error) {
      tellFailure(error)
      return
    }
    toast.success(isKept ? 'Nota in attesa di rete' : 'Nota aggiunta', {
      description: <Link to={paths.crmContact(contact.id)}>Vai a {contact.name}</Link>,
    })
    onUsed()
  }

  return (
    <form className="grid gap-3" onSubmit={(event) => void save(event)}>
      <ContactField userId={userId} label="Contatto" value={contact} onChoose={setContact} />
      <Button type="submit" disabled={!contact || add.isPending} className="justify-self-start">
        {add.isPending && <Spinner aria-hidden />}
        Salva la nota
      </Button>
    </form>
  )
}
