/**
 * Where tasks are written, in words: what was understood stands below as chips, and each can be turned back into text.
 * `n` comes here.
 */
import { useQueryClient } from '@tanstack/react-query'
import { CornerDownLeftIcon } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useRef, useState, useEffect, useEffectEvent } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { contactNamedQuery, contactSearchQuery } from '@/data/contact-search'
import { type Project, useAddProject } from '@/data/projects'
import { isUnanswered, KEPT } from '@/data/outbox'
import { useAddOrKeepTasks } from '@/data/task-changes'
import type { NewTask } from '@/data/tasks'
import { goesOn, onlyCandidate, projectsAlike } from '@/components/quick-add/quick-add-candidates'
import { ContactQuestion, ProjectQuestion } from '@/components/quick-add/quick-add-questions'
import { PastedLines } from '@/components/quick-add/pasted-lines'
import { QuickAddChips } from '@/components/quick-add/quick-add-chips'
import { tellFailure } from '@/components/save-failure'
import { useQuickAdd } from '@/components/quick-add/use-quick-add'
import { between, keysBefore } from '@/lib/fractional-position'
import { linesIn, onOneLine } from '@/components/quick-add/checklist'
import { instantOf } from '@/lib/rome-time'
import { useShortcut } from '@/lib/shortcut'

type Props = {
  userId: string
  projects: readonly Project[]
  /** What a new task gets when its words do not say otherwise. */
  defaults: Partial<NewTask>
  /** The key of the task that now comes first. */
  firstPosition: string | null
  /** What was written before this was loaded: it goes on here. */
  written?: string
  /** And Enter was pressed. */
  isEntered?: boolean
  onAdded?: () => void
}

const NOTHING: ReturnType<typeof linesIn> = { lines: [], leftOut: 0 }

export function QuickAdd({ userId, projects, defaults, firstPosition, written, isEntered = false, onAdded }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const line = useQuickAdd(userId, Boolean(defaults.contact_id), written)
  const [pasted, setPasted] = useState(NOTHING)
  // Of what was sent and not answered, by what it says: sent again, it is the same task.
  const sentIds = useRef(new Map<string, string>())
  const addTasks = useAddOrKeepTasks(userId)
  const addProject = useAddProject(userId)
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  useShortcut('n', () => field.current?.focus())

  const { parsed, title, contact, project } = line
  const newTask = (by = contact, of = project): NewTask => ({
    ...defaults,
    title: onOneLine(line.titleWith(by, of)),
    priority: parsed.priority,
    rrule: parsed.rrule,
    repeat_from: parsed.repeat_from,
    someday: parsed.someday,
    position: between(null, firstPosition),
    ...(parsed.due && { due_at: instantOf(parsed.due), due_is_allday: parsed.all_day }),
    ...(by && { contact_id: by.id }),
    ...(of && { project_id: of.id }),
  })

  /** To whoever pressed a button that is gone or off by now; not to somebody who went on. */
  function returnFocus() {
    if (document.activeElement === document.body) field.current?.focus()
  }

  /** The row as it is sent; `place` tells apart rows that say the same. */
  function withId(row: NewTask, place = 0) {
    const key = JSON.stringify([place, { ...row, position: undefined }])
    const id = sentIds.current.get(key) ?? crypto.randomUUID()
    sentIds.current.set(key, id)
    return { ...row, id }
  }

  /** Whether `work` could send what it sends. */
  async function send(work: () => Promise<unknown>): Promise<boolean> {
    if (isBusy) return false
    setBusy(true)
    try {
      await work()
      sentIds.current.clear()
      return true
    } catch (error) {
      tellFailure(error)
      return false
    } finally {
      setBusy(false)
      returnFocus()
    }
  }

  /** What was sent goes; what was written or pasted meanwhile stays. */
  const clearLine = () => field.current?.value === line.text && line.clear()
  const clearPasted = () => setPasted((now) => (now === pasted ? NOTHING : now))

  /** Return the contacts that `words` name; without a network, those that were found before. */
  async function contactsAlike(words: string) {
    const query = contactSearchQuery(userId, words)
    if (!navigator.onLine) return client.getQueryData(query.queryKey) ?? []
    return client.fetchQuery(query).catch((error: unknown) => {
      if (isUnanswered(error)) return []
      throw error
    })
  }

  /** Return the chosen contact, or the only one that the line can mean. */
  async function contactMeant() {
    const words = parsed.contact
    if (!words && !defaults.contact_id) {
      const query = contactNamedQuery(userId, parsed.title)
      const named = navigator.onLine
        ? await client.fetchQuery(query).catch(() => null)
        : client.getQueryData(query.queryKey)
      return named && !line.refused.includes(named.id) ? { words: '', ...named } : null
    }
    if (contact || !words || goesOn(line.text, parsed)) return contact
    const one = onlyCandidate(words, await contactsAlike(words))
    return one && { words, ...one }
  }

  /** Return the chosen project, the only one that the line can mean, or a new one. */
  async function projectMeant() {
    const words = parsed.project
    // A line of a project alone names no task.
    if (project || !words || !parsed.title) return project
    const alike = projectsAlike(projects, words)
    if (alike.length > 0) {
      const one = onlyCandidate(words, alike)
      return one && { words, id: one.id, name: one.name }
    }
    // The outbox takes no project: its name stays in the title.
    if (!navigator.onLine) return null
    const made = { words, id: await addProject.mutateAsync({ name: words }), name: words }
    line.chooseProject(made)
    return made
  }

  async function add() {
    if (!title) return
    let added = title
    let isKept = false
    const isSent = await send(async () => {
      const task = newTask(await contactMeant(), await projectMeant())
      added = task.title
      isKept = (await addTasks.mutateAsync([withId(task)])) === KEPT
    })
    if (!isSent) return
    clearLine()
    if (isKept) toast('Attività in attesa di rete', { description: added })
    else toast.success('Attività aggiunta', { description: added })
    onAdded?.()
  }

  const onLoaded = useEffectEvent(() => void (isEntered && add()))
  useEffect(() => queueMicrotask(() => onLoaded()), [])

  /** The lines in their order, before `below`. */
  function rowsOf(lines: readonly string[], common: Partial<NewTask>, below: string | null) {
    return keysBefore(below, lines.length).map((position, place) =>
      withId({ ...common, title: lines[place] ?? '', position }, place + 1),
    )
  }

  async function addSeparate() {
    if (await send(() => addTasks.mutateAsync(rowsOf(pasted.lines, defaults, firstPosition)))) clearPasted()
  }

  async function addAsSteps() {
    const [first = '', ...rest] = pasted.lines
    const task = withId({ ...newTask(), title: onOneLine(title) || first })
    const common = { parent_id: task.id, project_id: task.project_id ?? null, contact_id: task.contact_id ?? null }
    const isSent = await send(async () => {
      await addTasks.mutateAsync([task])
      await addTasks.mutateAsync(rowsOf(title ? pasted.lines : rest, common, null))
    })
    if (!isSent) return
    clearLine()
    clearPasted()
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const { selectionStart, selectionEnd, value } = event.currentTarget
    if (event.key === 'Enter') {
      event.preventDefault()
      void add()
    } else if (event.key === 'Escape') {
      event.currentTarget.blur()
    } else if (event.key === 'Backspace' && selectionStart === selectionEnd) {
      // Right behind what was understood: the first stroke takes only that back, the words stay.
      const part = parsed.parts.find(({ end }) => end === value.slice(0, selectionStart ?? 0).trimEnd().length)
      if (!part) return
      event.preventDefault()
      line.keep([part.start])
    }
  }

  function onPaste(event: ClipboardEvent) {
    const list = linesIn(event.clipboardData.getData('text/plain'))
    if (list.lines.length < 2) return
    event.preventDefault()
    setPasted(list)
  }

  return (
    <section aria-label="Nuova attività" className="grid gap-2">
      <div className="flex items-center gap-1 rounded-md border border-input bg-card pr-1 focus-within:border-primary focus-within:outline-2 focus-within:outline-ring">
        <input
          ref={field}
          // Whoever is writing goes on writing.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={written !== undefined}
          value={line.text}
          onChange={(event) => line.write(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          maxLength={200}
          autoComplete="off"
          enterKeyHint="done"
          aria-label="Nuova attività"
          aria-describedby="aiuto-nuova-attivita"
          aria-keyshortcuts="n"
          placeholder="Domani alle 15 chiamare @Rossi"
          className="h-12 min-w-0 flex-1 bg-transparent px-4 text-base outline-none placeholder:text-muted-foreground"
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label="Aggiungi"
          disabled={isBusy || !title}
          onClick={() => void add()}
        >
          {isBusy ? <Spinner aria-hidden /> : <CornerDownLeftIcon aria-hidden />}
        </Button>
      </div>
      <p id="aiuto-nuova-attivita" className="sr-only">
        Scrivi come parli: giorno, ora, «ogni lunedì», !alta, @contatto, #progetto. Invio aggiunge.
      </p>
      <QuickAddChips line={line} />
      {parsed.contact && !contact && (
        <ContactQuestion key={parsed.contact} words={parsed.contact} onChoose={line.chooseContact} />
      )}
      {parsed.project && !project && (
        <ProjectQuestion
          key={parsed.project}
          userId={userId}
          words={parsed.project}
          projects={projects}
          onChoose={line.chooseProject}
        />
      )}
      {pasted.lines.length > 0 && (
        <PastedLines
          {...pasted}
          title={title}
          isBusy={isBusy}
          onAdd={(asSteps) => void (asSteps ? addAsSteps() : addSeparate())}
          onCancel={() => setPasted(NOTHING)}
        />
      )}
    </section>
  )
}
