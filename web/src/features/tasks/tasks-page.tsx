/** /tasks and /projects: what is to be done, in five views of one list, with the line to write more at the top. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CalendarPlusIcon, ListTodoIcon } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { useWithKept } from '@/data/kept'
import { projectsQuery } from '@/data/projects'
import { doneTasksQuery, openTasksQuery, type Task, tickedQuery } from '@/data/tasks'
import { CalendarFeedDialog } from '@/features/tasks/calendar-feed-dialog'
import { CalendarView } from '@/features/tasks/calendar-view'
import { FilterBar } from '@/features/tasks/filter-bar'
import { KanbanView } from '@/features/tasks/kanban-view'
import { itemsOf, listSections, matches, todaySections } from '@/features/tasks/model'
import { ProjectsView } from '@/features/tasks/projects-view'
import { type TaskView, TaskViewTabs } from '@/components/task-view-tabs'
import { QuickAdd } from '@/components/quick-add/quick-add'
import { TaskList } from '@/features/tasks/task-list'
import { TaskSheet } from '@/features/tasks/task-sheet'
import { useTaskActions } from '@/features/tasks/use-task-actions'
import { useTasksAddress } from '@/features/tasks/use-tasks-address'
import { wallTime } from '@/lib/rome-time'

const NOBODY: ReadonlyMap<string, number> = new Map()

export default function TasksPage() {
  const { id: userId } = useUser()
  const address = useTasksAddress()
  const { view, filters, hasFilters, openTask, period } = address
  const [showsFeed, setShowsFeed] = useState(false)
  const now = useNow()
  const open = useQuery(openTasksQuery(userId))
  const done = useInfiniteQuery(doneTasksQuery(userId))
  const ticked = useQuery(tickedQuery(userId))
  const projects = useQuery(projectsQuery(userId))
  const actions = useTaskActions(userId)
  const wanted = useDeferredValue(filters)

  const tasks = useWithKept(
    userId,
    useMemo(() => allOf(open.data, done.data?.pages), [open.data, done.data]),
  )
  const firstOfAll = useMemo(() => firstPosition(tasks), [tasks])
  const contacts = useMemo(() => contactsIn(tasks), [tasks])
  const everything = useMemo(() => itemsOf(tasks, ticked.data ?? NOBODY), [tasks, ticked.data])
  const { text, projectId, contactId, priority } = wanted
  const items = useMemo(
    () => everything.filter((item) => matches(item, { text, projectId, contactId, priority })),
    [everything, text, projectId, contactId, priority],
  )
  const today = now.slice(0, 10)
  const sections = useMemo(() => (view === 'oggi' ? todaySections : listSections)(items, today), [view, items, today])
  const projectsById = new Map(projects.data?.map((project) => [project.id, project]))
  const day = address.day ?? today
  const show = (task: Task) => address.set({ attivita: task.id })
  const failed = [open, done, projects].find(({ isError, data }) => isError && !data)
  const isPending = open.isPending || done.isPending || projects.isPending

  return (
    <div className="column grid gap-5 py-6 sm:py-8">
      <PageTitle>Attività</PageTitle>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl font-semibold">Attività e progetti</h1>
        <Button variant="ghost" className="max-sm:size-11" onClick={() => setShowsFeed(true)}>
          <CalendarPlusIcon aria-hidden /> <span className="max-sm:sr-only">Nel tuo calendario</span>
        </Button>
      </header>
      <QuickAdd
        userId={userId}
        projects={projects.data ?? []}
        defaults={{
          ...(filters.projectId && { project_id: filters.projectId }),
          ...(filters.contactId && { contact_id: filters.contactId }),
        }}
        firstPosition={firstOfAll}
        {...(address.isNew && { written: '' })}
      />
      <TaskViewTabs current={view} />
      {view !== 'progetti' && (
        <FilterBar
          filters={filters}
          hasFilters={hasFilters}
          projects={projects.data ?? []}
          contacts={contacts}
          onChange={address.set}
        />
      )}
      {failed && (
        <LoadError
          text="Non riusciamo a leggere le tue attività. Non si è perso niente: riprova tra un momento."
          onRetry={() => void failed.refetch()}
        />
      )}
      {isPending && !failed && <Loading />}
      {!isPending && !failed && (
        <>
          {view === 'progetti' && (
            <ProjectsView
              userId={userId}
              projects={projects.data ?? []}
              now={now}
              onShowTasks={(id) => address.set({ vista: 'lista', progetto: id })}
            />
          )}
          {(view === 'oggi' || view === 'lista') && (
            <Listed
              key={view}
              view={view}
              isFiltered={hasFilters}
              sections={sections}
              now={now}
              projects={projectsById}
              actions={actions}
              onOpen={show}
            />
          )}
          {view === 'kanban' && (
            <KanbanView
              items={items}
              now={now}
              projects={projectsById}
              actions={actions}
              onOpen={show}
              onMoreDone={done.hasNextPage ? () => void done.fetchNextPage() : null}
            />
          )}
          {view === 'calendario' && (
            <CalendarView
              userId={userId}
              filters={wanted}
              showsDue={address.showsDue}
              items={items}
              now={now}
              day={day}
              period={period}
              actions={actions}
              onGo={address.set}
              onOpen={show}
            />
          )}
        </>
      )}
      {openTask && (
        <TaskSheet
          userId={userId}
          taskId={openTask}
          known={tasks.find(({ id }) => id === openTask)}
          projects={projects.data ?? []}
          actions={actions}
          onOpen={show}
          onClose={() => address.set({ attivita: null })}
        />
      )}
      {showsFeed && <CalendarFeedDialog onClose={() => setShowsFeed(false)} />}
    </div>
  )
}

type ListedProps = Parameters<typeof TaskList>[0] & { view: TaskView; isFiltered: boolean }

function Listed({ view, isFiltered, ...list }: ListedProps) {
  if (list.sections.length > 0) return <TaskList {...list} />
  const text = isFiltered
    ? 'Nessuna attività con questi filtri.'
    : view === 'oggi'
      ? 'Oggi non hai niente in scadenza.'
      : 'Ancora nessuna attività.'
  return (
    <EmptyState
      icon={ListTodoIcon}
      title={text}
      text={
        isFiltered
          ? undefined
          : 'Scrivi qui sopra come parli: «domani alle 15 chiamare Rossi», «ogni lunedì fatture», «preventivo entro venerdì !alta».'
      }
    />
  )
}

function Loading() {
  return (
    <div aria-busy className="grid gap-4">
      {['a', 'b', 'c', 'd'].map((key) => (
        <div key={key} className="flex items-center gap-3">
          <Skeleton className="size-5 rounded-full" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-4 w-1/4" />
          </div>
        </div>
      ))}
    </div>
  )
}

/** Once each: what was just completed stands in both until the server is asked again. */
function allOf(open: readonly Task[] = [], pages: readonly (readonly Task[])[] = []): Task[] {
  const known = new Set(open.map(({ id }) => id))
  return [...open, ...pages.flat().filter(({ id }) => !known.has(id))].filter((task) => !task.deleted_at)
}

const firstPosition = (tasks: readonly Task[]): string | null =>
  tasks.reduce<string | null>(
    (first, { position, parent_id: parent }) => (!parent && (first === null || position < first) ? position : first),
    null,
  )

function contactsIn(tasks: readonly Task[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { contact, waiting } of tasks)
    for (const one of [contact, waiting]) if (one?.name) names.set(one.id, one.name)
  return names
}

/** The wall time in Italy, to the minute. */
function useNow(): string {
  const [now, setNow] = useState(() => wallTime(new Date()))
  useEffect(() => {
    const timer = window.setInterval(() => setNow(wallTime(new Date())), 15_000)
    return () => window.clearInterval(timer)
  }, [])
  return now
}
