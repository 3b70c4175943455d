/** Tabs by the ARIA pattern: one stop of the Tab key, arrows between them. All panels stand in the HTML. */
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'

import { clsx } from 'clsx'

type Tab = { title: string; panel: ReactNode }

export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const [chosen, setChosen] = useState(0)
  const id = useId()

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const last = tabs.length - 1
    const targets: Record<string, number> = {
      ArrowRight: chosen === last ? 0 : chosen + 1,
      ArrowLeft: chosen === 0 ? last : chosen - 1,
      Home: 0,
      End: last,
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    setChosen(target)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus()
  }

  return (
    <>
      <div
        role="tablist"
        tabIndex={-1}
        aria-label={label}
        onKeyDown={onKeyDown}
        className="grid w-full max-w-lg auto-cols-fr grid-flow-col gap-1 rounded-md border bg-muted p-1"
      >
        {tabs.map(({ title }, index) => (
          <button
            key={title}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel-${index}`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
            className={clsx(
              'min-h-11 rounded-sm px-3 text-sm font-semibold transition-colors',
              index === chosen ? 'bg-card text-foreground' : 'text-muted-foreground hover:text-foreground',
            )}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ title, panel }, index) => (
        <div
          key={title}
          role="tabpanel"
          id={`${id}-panel-${index}`}
          aria-labelledby={`${id}-tab-${index}`}
          hidden={index !== chosen}
        >
          {panel}
        </div>
      ))}
    </>
  )
}
