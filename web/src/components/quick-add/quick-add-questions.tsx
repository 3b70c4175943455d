/** What the line names and is not confirmed yet; Enter takes the only candidate and creates a project that is missing. */
import { useQuery } from '@tanstack/react-query'
import { PlusIcon } from 'lucide-react'
import { type ReactNode, useDeferredValue } from 'react'

import { Button } from '@/components/ui/button'
import { contactSearchQuery } from '@/data/contact-search'
import { type Project, useAddProject } from '@/data/projects'
import { onlyCandidate, projectsAlike } from '@/components/quick-add/quick-add-candidates'
import { tellFailure } from '@/components/save-failure'
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
          ? `Chi è «${words}»?${onEnter(words, contacts)}`
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

function onEnter(words: string, candidates: readonly { name: string }[]): string {
  const one = onlyCandidate(words, candidates)
  return one ? ` Invio sceglie ${one.name}.` : ''
}

type ProjectProps = { userId: string; words: string; projects: readonly Project[]; onChoose: Choose }

export function ProjectQuestion({ userId, words, projects, onChoose }: ProjectProps) {
  const add = useAddProject(userId)
  const alike = projectsAlike(projects, words)

  async function create() {
    try {
      onChoose({ words, id: await add.mutateAsync({ name: words }), name: words })
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <Question
      text={
        alike.length > 0
          ? `Quale progetto è «${words}»?${onEnter(words, alike)}`
          : `Il progetto «${words}» non c’è ancora: Invio lo crea.`
      }
    >
      {alike.slice(0, 5).map(({ id, name }) => (
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
