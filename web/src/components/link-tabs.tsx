import { clsx } from 'clsx'
import { Link } from 'react-router'

type Props<Key extends string> = {
  /** What the tabs lead through, for who does not see them. */
  label: string
  tabs: readonly { key: Key; label: string; to: string }[]
  /** None on a page beside them. */
  current?: Key | undefined
}

const intoView = (tab: HTMLElement | null) => {
  if (tab?.parentElement) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 64
}

/** Tabs that are links, so that each can be opened in a tab of its own; a small phone moves them sideways. */
export function LinkTabs<Key extends string>({ label, tabs, current }: Props<Key>) {
  return (
    <nav aria-label={label} className="-mx-4 flex overflow-x-auto border-b px-4 sm:mx-0 sm:px-0">
      {tabs.map((tab) => (
        <Link
          key={tab.key}
          // A small phone begins where the current one is.
          ref={tab.key === current ? intoView : undefined}
          to={tab.to}
          aria-current={tab.key === current ? 'page' : undefined}
          className={clsx(
            '-mb-px flex min-h-11 shrink-0 items-center rounded-t-md border-b-2 px-3 text-sm font-medium transition-colors focus-visible:-outline-offset-2',
            tab.key === current
              ? 'border-primary text-foreground'
              : 'border-transparent text-muted-foreground hover:text-foreground',
          )}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
