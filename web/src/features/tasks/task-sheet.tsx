/** Everything about one task. Each field is saved when it is left; nothing waits for a button. */
import { useQuery } from '@tanstack/react-query'
import { PencilIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'

import { ContactField } from '@/components/contact-field'
import { LoadError } from '@/components/load-error'
import { Markdown, MARKDOWN_HINT } from '@/components/markdown'
import { Button } from '@/components/ui/button'
import { Label } from '@/components/ui/label'
import { Sheet, SheetContent, SheetDescription, SheetTitle } from '@/components/ui/sheet'
import { Skeleton } from '@/components/ui/skeleton'
import { Textarea } from '@/components/ui/textarea'
import type { Project } from '@/data/projects'
import { type Task, taskQuery, type TaskState } from '@/data/tasks'
import { onOneLine } from '@/components/quick-add/checklist'
import { DealField } from '@/features/tasks/deal-field'
import { DueFields } from '@/features/tasks/due-fields'
import { RepeatFields } from '@/features/tasks/repeat-fields'
import { SelectField } from '@/features/tasks/select-field'
import { Subtasks } from '@/features/tasks/subtasks'
import { useDraft } from '@/features/tasks/use-draft'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { priorities, taskStates } from '@/strings/tasks'

type Props = {
  userId: string
  taskId: string
  /** The row of the list, shown at once. */
  known: Task | undefined
  projects: readonly Project[]
  actions: TaskActions
  onOpen: (task: Task) => void
  onClose: () => void
}

export function TaskSheet({ userId, taskId, known, projects, actions, onOpen, onClose }: Props) {
  const query = useQuery({ ...taskQuery(userId, taskId), enabled: !known })
  const task = known ?? query.data
  return (
    <Sheet open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <SheetContent side="right" onOpenAutoFocus={(event) => event.preventDefault()}>
        <SheetTitle className="pr-10 text-base">{task?.parent_id ? 'Sotto-attività' : 'Attività'}</SheetTitle>
        <SheetDescription className="sr-only">Ogni modifica si salva da sola.</SheetDescription>
        {task && (
          <Fields
            key={task.id}
            userId={userId}
            task={task}
            projects={projects}
            actions={actions}
            onOpen={onOpen}
            onClose={onClose}
          />
        )}
        {!task && query.isPending && <Skeleton aria-busy className="h-64" />}
        {!task && query.isError && (
          <LoadError text="Non riusciamo a leggere questa attività." onRetry={() => void query.refetch()} />
        )}
        {query.data === null && !known && <p className="text-sm">Questa attività non c’è più.</p>}
      </SheetContent>
    </Sheet>
  )
}

type FieldsProps = Omit<Props, 'taskId' | 'known'> & { task: Task }

function Fields({ userId, task, projects, actions, onOpen, onClose }: FieldsProps) {
  const { id } = task

  function setState(state: TaskState) {
    if (state === 'fatto') void actions.complete([task])
    else if (task.state === 'fatto') void actions.reopen(id).then(() => actions.save(id, { state }))
    else void actions.save(id, { state })
  }

  return (
    <div className="grid gap-5">
      <SavedText
        label="Titolo"
        value={task.title}
        isRequired
        onSave={(title) => void actions.save(id, { title: onOneLine(title) })}
      />
      <div className="grid grid-cols-2 gap-3">
        <SelectField label="Stato" value={task.state} onChange={(event) => setState(event.target.value as TaskState)}>
          {Object.entries(taskStates).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Priorità"
          value={task.priority}
          onChange={(event) => void actions.save(id, { priority: Number(event.target.value) })}
        >
          {priorities.map((label, value) => (
            <option key={label} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <DueFields task={task} actions={actions} />
      {!task.parent_id && <RepeatFields userId={userId} task={task} actions={actions} />}
      {!task.parent_id && <Subtasks userId={userId} task={task} actions={actions} onOpen={onOpen} />}
      <SelectField
        label="Progetto"
        value={task.project_id ?? ''}
        onChange={(event) => void actions.save(id, { project_id: event.target.value || null })}
      >
        <option value="">Nessuno</option>
        {projects
          .filter((project) => project.status !== 'chiuso' || project.id === task.project_id)
          .map((project) => (
            <option key={project.id} value={project.id}>
              {project.name}
            </option>
          ))}
      </SelectField>
      <ContactField
        userId={userId}
        label="Contatto"
        value={task.contact}
        onChoose={(contact) => void actions.save(id, { contact_id: contact?.id ?? null }, { contact })}
      />
      <DealField userId={userId} task={task} actions={actions} />
      <ContactField
        userId={userId}
        label="In attesa di"
        value={task.waiting}
        onChoose={(waiting) => {
          // Who waits for somebody cannot go on by themselves.
          const state = waiting && task.state !== 'fatto' ? ({ state: 'in_attesa' } as const) : {}
          void actions.save(id, { waiting_for: waiting?.id ?? null, ...state }, { waiting })
        }}
      />
      <Notes value={task.notes ?? ''} onSave={(notes) => void actions.save(id, { notes: notes || null })} />
      <Button
        variant="destructive"
        className="justify-self-start"
        onClick={() => {
          onClose()
          void actions.remove([task])
        }}
      >
        <Trash2Icon aria-hidden /> Elimina
      </Button>
    </div>
  )
}

type TextProps = {
  label: string
  value: string
  isRequired?: boolean
  isLong?: boolean
  hint?: string
  startsFocused?: boolean
  onSave: (text: string) => void
  onLeave?: () => void
}

const focus = (field: HTMLElement | null) => field?.focus()

/** A text that is saved when it is left; Escape takes back what was typed into one line. */
function SavedText({ label, value, isRequired, isLong, hint, startsFocused, onSave, onLeave }: TextProps) {
  const draft = useDraft(value, (text) => text.trim() !== value && onSave(text.trim()))
  const id = `testo-${label.toLowerCase()}`

  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      <Textarea
        id={id}
        rows={isLong ? 5 : 1}
        value={draft.text}
        ref={startsFocused ? focus : undefined}
        aria-describedby={hint && `${id}-hint`}
        maxLength={isLong ? 20_000 : 200}
        className={isLong ? undefined : 'field-sizing-content min-h-11 resize-none font-medium'}
        onChange={({ target }) => draft.write(target.value, !isRequired || target.value.trim() !== '')}
        onBlur={() => {
          draft.leave()
          onLeave?.()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !isLong) {
            event.preventDefault()
            event.currentTarget.blur()
          }
          if (event.key === 'Escape' && !isLong && draft.isTyped) {
            event.stopPropagation()
            draft.discard()
          }
        }}
      />
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted-foreground">
          {hint}
        </p>
      )}
    </div>
  )
}

/** The notes as they read; they are typed after «Modifica», or at once while there are none. */
function Notes({ value, onSave }: { value: string; onSave: (notes: string) => void }) {
  const [isEdited, setEdited] = useState(false)
  if (!value || isEdited)
    return (
      <SavedText
        label="Note"
        value={value}
        isLong
        hint={MARKDOWN_HINT}
        startsFocused={isEdited}
        onSave={onSave}
        onLeave={() => setEdited(false)}
      />
    )
  return (
    <section aria-labelledby="note-attivita" className="grid gap-1.5">
      <div className="flex items-center justify-between gap-2">
        <h3 id="note-attivita" className="text-sm font-medium">
          Note
        </h3>
        <Button variant="ghost" size="sm" onClick={() => setEdited(true)}>
          <PencilIcon aria-hidden /> Modifica<span className="sr-only"> le note</span>
        </Button>
      </div>
      <Markdown text={value} className="rounded-md border px-3 py-2 text-sm" />
    </section>
  )
}
