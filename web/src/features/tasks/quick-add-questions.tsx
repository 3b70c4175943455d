/** What the line names and nobody has confirmed yet: a contact is never guessed, a project is never made by itself. */
import { useQuery } from '@tanstack/react-query'
import { PlusIcon } from 'lucide-react'
import { type ReactNode, useDeferredValue } from 'react'

import { Button } from '@/components/ui/button'
import { contactSearchQuery } from '@/data/contact-search'
import { type Project, useAddProject } from '@/data/projects'
import { tellFailure } from '@/features/tasks/use-task-actions'
import { useUser } from '@/data/auth-context'

type Choose = (choice: { words: string; id: string; name: string }) => void

export function ContactQuestion({ words, onChoose }: { words: string; onChoose: Choose }) {
  const { id: userId } = useUser()
  const found = useQuery(contactSearchQuery(userId, useDeferredValue(words)))
  if (found.isPending) return null
  const contacts = found.data ?? []
  return (
    <Question
      text={
        contacts.length > 0
          ? `Chi è «${words}»?`
          : `Nessun contatto somiglia a «${words}»: il nome resta nel testo dell’attività.`
      }
    >
      {contacts.map(({ id, name }) => (
        <Button key={id} variant="outline" size="sm" onClick={() => onChoose({ words, id, name })}>
          {name}
        </Button>
      ))}
    </Question>
  )
}

type ProjectProps = { userId: string; words: string; projects: readonly Project[]; onChoose: Choose }

export function ProjectQuestion({ userId, words, projects, onChoose }: ProjectProps) {
  const add = useAddProject(userId)
  const wanted = words.toLocaleLowerCase('it')
  const alike = projects
    .filter(({ name, status }) => status !== 'chiuso' && name.toLocaleLowerCase('it').includes(wanted))
    .slice(0, 5)

  async function create() {
    try {
      onChoose({ words, id: await add.mutateAsync({ name: words }), name: words })
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <Question text={alike.length > 0 ? `Quale progetto è «${words}»?` : `Il progetto «${words}» non c’è ancora.`}>
      {alike.map(({ id, name }) => (
        <Button key={id} variant="outline" size="sm" onClick={() => onChoose({ words, id, name })}>
          {name}
        </Button>
      ))}
      <Button variant="outline" size="sm" disabled={add.isPending} onClick={() => void create()}>
        <PlusIcon aria-hidden /> Crea progetto «{words}»
      </Button>
    </Question>
  )
}

function Question({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div role="group" aria-label={text} className="flex flex-wrap items-center gap-2 text-sm">
      <p role="status" className="text-muted-foreground">
        {text}
      </p>
      {children}
    </div>
  )
}
