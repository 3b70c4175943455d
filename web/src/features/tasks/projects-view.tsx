/** The projects: for whom, until when, for how much, how far. */
import { CalendarIcon, EllipsisIcon, FolderKanbanIcon, PlusIcon, StickyNoteIcon, UserRoundIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { EmptyState } from '@/components/empty-state'
import { Markdown } from '@/components/markdown'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Progress } from '@/components/ui/progress'
import { type Project, useChangeProject } from '@/data/projects'
import { dueText } from '@/features/tasks/model'
import { ProjectDialog } from '@/features/tasks/project-dialog'
import { ProjectDot } from '@/features/tasks/project-dot'
import { tellFailure } from '@/components/save-failure'
import { cn } from '@/lib/cn'
import { formatEuro } from '@/strings/numbers'
import { countOfTasks, projectStatuses } from '@/strings/tasks'

type Props = { userId: string; projects: readonly Project[]; now: string; onShowTasks: (projectId: string) => void }

export function ProjectsView({ userId, projects, now, onShowTasks }: Props) {
  const [edited, setEdited] = useState<Project | 'new' | null>(null)
  const change = useChangeProject(userId)

  async function remove({ id, name }: Project) {
    const put = (at: string | null) => change.mutateAsync({ id, change: { deleted_at: at } })
    try {
      await put(new Date().toISOString())
      toast('Progetto eliminato', {
        description: `${name} · le sue attività restano`,
        action: { label: 'Annulla', onClick: () => void put(null).catch(tellFailure) },
      })
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <div className="grid gap-4">
      <Button className="justify-self-start" onClick={() => setEdited('new')}>
        <PlusIcon aria-hidden /> Nuovo progetto
      </Button>
      {projects.length === 0 && (
        <EmptyState
          icon={FolderKanbanIcon}
          title="Ancora nessun progetto"
          text="Un progetto tiene insieme le attività di un lavoro, con il suo cliente, le date e il budget."
        />
      )}
      <ul aria-label="Progetti" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {projects.map((project) => (
          <li key={project.id}>
            <ProjectCard
              project={project}
              now={now}
              onShow={() => onShowTasks(project.id)}
              onEdit={() => setEdited(project)}
              onRemove={() => void remove(project)}
            />
          </li>
        ))}
      </ul>
      {edited && (
        <ProjectDialog userId={userId} project={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </div>
  )
}

type CardProps = { project: Project; now: string; onShow: () => void; onEdit: () => void; onRemove: () => void }

function ProjectCard({ project, now, onShow, onEdit, onRemove }: CardProps) {
  const { name, color, contact, note, status, due_on: due, budget_cents: budget, doneCount, openCount } = project
  const total = doneCount + openCount
  const isLate = due !== null && due < now.slice(0, 10) && status === 'attivo'
  return (
    <article className="grid h-full content-start gap-3 rounded-md border bg-card p-4">
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 font-medium">
          <button onClick={onShow} className="flex min-h-11 items-center gap-2 text-left break-words hover:underline">
            <ProjectDot color={color} />
            {name}
          </button>
        </h2>
        {status !== 'attivo' && (
          <Badge variant="outline" className="mt-3">
            {projectStatuses[status]}
          </Badge>
        )}
        <DropdownMenu>
          <DropdownMenuTrigger asChild>
            <Button
              variant="ghost"
              size="icon"
              className="-mr-2 text-muted-foreground"
              aria-label={`Azioni per ${name}`}
            >
              <EllipsisIcon aria-hidden />
            </Button>
          </DropdownMenuTrigger>
          <DropdownMenuContent align="end">
            <DropdownMenuItem onSelect={onShow}>Vedi le attività</DropdownMenuItem>
            <DropdownMenuItem onSelect={onEdit}>Modifica</DropdownMenuItem>
            <DropdownMenuItem onSelect={onRemove}>Elimina</DropdownMenuItem>
          </DropdownMenuContent>
        </DropdownMenu>
      </div>
      <div className="grid gap-1.5">
        <Progress value={doneCount} max={Math.max(total, 1)} aria-label={`Avanzamento di ${name}`} />
        <p className="text-sm text-muted-foreground tabular">
          {total === 0 ? 'Nessuna attività' : `${doneCount} di ${countOfTasks(total)}`}
        </p>
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted-foreground tabular">
        {contact?.name && (
          <span className="inline-flex min-w-0 items-center gap-1.5">
            <UserRoundIcon role="img" aria-label="Cliente" className="size-4 shrink-0" />
            <span className="truncate">{contact.name}</span>
          </span>
        )}
        {due && (
          <span className={cn('inline-flex items-center gap-1.5', isLate && 'font-medium text-error')}>
            <CalendarIcon role="img" aria-label="Consegna" className="size-4" />
            {dueText(due, null, now)}
          </span>
        )}
        {budget !== null && <span>{formatEuro(budget)}</span>}
      </p>
      {note && (
        <details className="border-t pt-1 text-sm">
          <summary className="flex min-h-11 cursor-pointer items-center gap-1.5 text-muted-foreground">
            <StickyNoteIcon aria-hidden className="size-4" /> Note<span className="sr-only"> di {name}</span>
          </summary>
          <Markdown text={note} />
        </details>
      )}
    </article>
  )
}
