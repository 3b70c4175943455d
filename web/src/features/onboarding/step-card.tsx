import { type ReactNode, useEffect, useRef } from 'react'

import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'

type StepCardProps = { title: string; intro: string; children: ReactNode }

/** One step: its title takes the focus, so that keyboard and screen reader start there. */
export function StepCard({ title, intro, children }: StepCardProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Once: later it would scroll away from what somebody is about to click.
  useEffect(() => heading.current?.focus(), [])
  return (
    <Card className="gap-6 p-5 sm:p-8">
      <header className="grid gap-2">
        <h1 ref={heading} tabIndex={-1} className="font-display text-3xl font-medium outline-none">
          {title}
        </h1>
        <p className="text-pretty text-muted-foreground">{intro}</p>
      </header>
      {children}
    </Card>
  )
}

type StepActionsProps = {
  isSaving: boolean
  onBack?: (() => void) | undefined
  onSkip?: () => void
  /** Absent inside a form, where the button submits. */
  onContinue?: () => void
  label?: string
}

export function StepActions({ isSaving, onBack, onSkip, onContinue, label = 'Continua' }: StepActionsProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {onBack && (
        <Button type="button" variant="ghost" className="-ml-4" disabled={isSaving} onClick={onBack}>
          Indietro
        </Button>
      )}
      <div className="ml-auto flex gap-2">
        {onSkip && (
          <Button type="button" variant="ghost" disabled={isSaving} onClick={onSkip}>
            Salta
          </Button>
        )}
        <Button type={onContinue ? 'button' : 'submit'} disabled={isSaving} onClick={onContinue}>
          {label}
        </Button>
      </div>
    </div>
  )
}
