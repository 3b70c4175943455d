/** The deals and the tasks that the document belongs to, and a new task about it. */
import { useQuery } from '@tanstack/react-query'
import { ListPlusIcon, XIcon } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Skeleton } from '@/components/ui/skeleton'
import type { WholeDocument } from '@/data/document'
import {
  documentLinksQuery,
  type Linkable,
  linkableQuery,
  useCreateLinkedTask,
  useLinkDocument,
  useUnlinkDocument,
} from '@/data/document-links'
import { instantOf } from '@/lib/rome-time'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'

type Props = { document: WholeDocument; userId: string }

const failed = () => toast.error('Non siamo riusciti a salvare il collegamento: riprova')

export function LinksCard({ document, userId }: Props) {
  const { data: links, isPending, isError, refetch } = useQuery(documentLinksQuery(userId, document.id))
  const unlink = useUnlinkDocument(userId)
  const link = useLinkDocument(userId, document.id)
  const create = useCreateLinkedTask(userId, document.id)

  function takeOff(linkId: string, target: Linkable) {
    unlink.mutate(linkId, {
      onError: failed,
      onSuccess: () =>
        toast.success('Collegamento tolto', {
          action: { label: 'Annulla', onClick: () => link.mutate(target, { onError: failed }) },
        }),
    })
  }

  function createTask() {
    const { filename, contact_id, due_on } = document
    const due = due_on ? { due_at: instantOf(due_on), due_is_allday: true } : {}
    create.mutate(
      { title: `Controlla ${filename}`.slice(0, 200), contact_id, ...due },
      {
        onSuccess: () => toast.success('Attività creata e collegata'),
        onError: () => toast.error('Non siamo riusciti a creare l’attività: riprova'),
      },
    )
  }

  return (
    <Card className="gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CardTitle>Trattative e attività</CardTitle>
        <Button variant="outline" size="sm" disabled={create.isPending} onClick={createTask}>
          <ListPlusIcon aria-hidden /> Crea attività
        </Button>
      </div>
      {isPending && <Skeleton aria-busy className="h-11" />}
      {isError && !links && <LoadError text="Non riusciamo a leggere i collegamenti." onRetry={() => void refetch()} />}
      {links && links.length > 0 && (
        <ul aria-label="Collegamenti" className="divide-y text-sm">
          {links.map(({ id, deal, task }) => (
            <li key={id} className="flex min-h-11 items-center gap-2 py-1">
              <span className="grid min-w-0 grid-cols-1 flex-1">
                <Link
                  to={task ? paths.task(task.id) : paths.crmDeals}
                  className="font-medium break-words hover:underline"
                >
                  {task?.title ?? deal?.title}
                </Link>
                <span className="text-xs text-muted-foreground">
                  {task ? `Attività${task.state === 'fatto' ? ' fatta' : ''}` : 'Trattativa'}
                  {task?.due_at && ` · ${shortDate(task.due_at)}`}
                </span>
              </span>
              <Button
                variant="ghost"
                size="icon"
                aria-label={`Scollega ${task?.title ?? deal?.title ?? ''}`}
                onClick={() => takeOff(id, task ? { id: task.id, type: 'task' } : { id: deal?.id ?? '', type: 'deal' })}
              >
                <XIcon aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <LinkSearch
        userId={userId}
        documentId={document.id}
        linked={links?.map(({ deal, task }) => (deal ?? task)?.id ?? '') ?? []}
      />
    </Card>
  )
}

function LinkSearch({ userId, documentId, linked }: { userId: string; documentId: string; linked: string[] }) {
  const id = useId()
  const [text, setText] = useState('')
  const { data = [], isFetched } = useQuery(linkableQuery(userId, useDeferredValue(text)))
  const link = useLinkDocument(userId, documentId)
  const found = data.filter((each) => !linked.includes(each.id))

  function choose(target: Linkable) {
    setText('')
    link.mutate(target, { onError: failed })
  }

  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>Collega una trattativa o un’attività</Label>
      <Input
        id={id}
        type="search"
        autoComplete="off"
        maxLength={100}
        placeholder="Cerca per nome"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {text.trim() && isFetched && found.length === 0 && (
        <p role="status" className="text-sm text-muted-foreground">
          Nessuna trattativa o attività con questo nome.
        </p>
      )}
      {text.trim() && found.length > 0 && (
        <ul aria-label="Trovati" className="divide-y rounded-md border">
          {found.map(({ id: targetId, title, type }) => (
            <li key={targetId}>
              <button
                type="button"
                className="flex min-h-11 w-full items-center justify-between gap-3 px-3 py-2 text-left text-sm hover:bg-muted"
                onClick={() => choose({ id: targetId, type })}
              >
                <span className="min-w-0 break-words">{title}</span>
                <span className="shrink-0 text-muted-foreground">{type === 'deal' ? 'Trattativa' : 'Attività'}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
