/** A whole page that says one thing: access denied, coming soon, nothing here, something failed. */
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'

type Props = {
  title: string
  text: string
  icon?: LucideIcon
  action?: { label: string; to: string }
  /** It answers what the person just did: the title takes the focus, so that a screen reader says it. */
  isAnswer?: boolean
  children?: ReactNode
}

const focus = (heading: HTMLElement | null) => heading?.focus()

export function PageMessage({ title, text, icon: Icon, action, isAnswer = false, children }: Props) {
  return (
    <section className="column grid min-h-[60dvh] place-content-center justify-items-center gap-3 py-12 text-center">
      {Icon && (
        <span className="mb-2 grid size-14 place-items-center rounded-full bg-secondary text-secondary-foreground">
          <Icon aria-hidden className="size-6" />
        </span>
      )}
      <h1
        ref={isAnswer ? focus : null}
        tabIndex={-1}
        className="font-display text-3xl font-medium text-balance outline-none"
      >
        {title}
      </h1>
      <p className="max-w-md text-pretty text-muted-foreground">{text}</p>
      {children}
      {action && (
        <Button asChild className="mt-3">
          <Link to={action.to}>{action.label}</Link>
        </Button>
      )}
    </section>
  )
}
