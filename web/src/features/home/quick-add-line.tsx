/** The line in which tasks are written. Its grammar is loaded by whoever begins to write, and goes on with their words. */
import { useQuery } from '@tanstack/react-query'
import { CornerDownLeftIcon } from 'lucide-react'
import { type ComponentType, useRef, useState } from 'react'

import type { QuickAdd } from '@/components/quick-add/quick-add'
import { projectsQuery } from '@/data/projects'
import { useShortcut } from '@/lib/shortcut'

type Grammar = ComponentType<Parameters<typeof QuickAdd>[0]>

export function QuickAddLine({ userId }: { userId: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [entered, setEntered] = useState<string | null>(null)
  const [Line, setLine] = useState<Grammar | null>(null)
  const { data: projects = [] } = useQuery({ ...projectsQuery(userId), enabled: Line !== null })
  useShortcut('n', () => field.current?.focus())

  async function load() {
    const { QuickAdd: loaded } = await import('@/components/quick-add/quick-add')
    setLine(() => loaded)
  }

  // Without a position the database puts the task first.
  if (Line)
    return (
      <Line
        userId={userId}
        projects={projects}
        defaults={{}}
        firstPosition={null}
        written={text}
        isEntered={entered === text}
      />
    )
  return (
    <div className="flex items-center gap-1 rounded-md border border-input bg-card pr-1">
      <input
        ref={field}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && setEntered(text)}
        // A failure is tried again by the next focus; what was written stays.
        onFocus={() => void load().catch(() => undefined)}
        maxLength={200}
        autoComplete="off"
        enterKeyHint="done"
        aria-label="Nuova attività"
        aria-keyshortcuts="n"
        placeholder="Domani alle 15 chiamare @Rossi"
        className="h-12 min-w-0 flex-1 bg-transparent px-4 text-base outline-none placeholder:text-muted-foreground"
      />
      <CornerDownLeftIcon aria-hidden className="mx-3 size-[18px] shrink-0" />
    </div>
  )
}
