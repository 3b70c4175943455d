import type { ReactNode } from 'react'

import { PageTitle } from '@/components/page-title'
import { Card } from '@/components/ui/card'

type Props = {
  title: string
  intro?: ReactNode
  children?: ReactNode
  /** The way out: the link to the sibling page. */
  footer?: ReactNode
}

/** The calm card that all account pages share. */
export function AuthScreen({ title, intro, children, footer }: Props) {
  return (
    <section className="column grid place-items-center gap-6 py-8 sm:py-16">
      <PageTitle>{title}</PageTitle>
      <Card className="w-full max-w-md gap-6 p-5 sm:p-8">
        <header className="grid gap-2">
          <h1 className="font-display text-3xl font-medium text-balance">{title}</h1>
          {intro && <p className="text-pretty text-muted-foreground">{intro}</p>}
        </header>
        {children}
      </Card>
      {footer && <p className="text-center text-sm text-muted-foreground">{footer}</p>}
    </section>
  )
}
