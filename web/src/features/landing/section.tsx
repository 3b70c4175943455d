import { clsx } from 'clsx'
import type { ReactNode } from 'react'

type Props = {
  id: string
  title: string
  intro?: ReactNode
  /** On the colour of cards, to set it off from its neighbours. */
  raised?: boolean
  children: ReactNode
}

/** One idea of the landing page: a large title over a wide measure, and what proves it. */
export function Section({ id, title, intro, raised = false, children }: Props) {
  return (
    <section id={id} aria-labelledby={`${id}-titolo`} className={clsx('scroll-mt-14 border-t', raised && 'bg-card')}>
      <div className="column py-7 sm:py-20">
        <h2
          id={`${id}-titolo`}
          className="max-w-3xl font-display text-2xl font-medium text-balance sm:text-5xl sm:tracking-tight"
        >
          {title}
        </h2>
        {intro && <p className="mt-3 max-w-2xl text-pretty text-muted-foreground sm:mt-5 sm:text-xl">{intro}</p>}
        <div className="mt-4 sm:mt-12">{children}</div>
      </div>
    </section>
  )
}

/** What a number stands on. */
export function SmallPrint({ children, className }: { children: ReactNode; className?: string }) {
  return <p className={clsx('text-xs text-pretty text-muted-foreground tabular', className)}>{children}</p>
}

/** The reckoning behind the figures, for those who want it. */
export function HowWeReckon({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <details className={className}>
      <summary className="inline-flex min-h-11 cursor-pointer items-center text-sm text-muted-foreground underline underline-offset-4 hover:text-foreground">
        Come lo calcoliamo
      </summary>
      <div className="grid max-w-3xl gap-2">{children}</div>
    </details>
  )
}
