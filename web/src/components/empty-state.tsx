import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type Props = {
  icon: LucideIcon
  title: string
  /** What will be here, or what to do. */
  text?: string | undefined
  /** An answer to what was just asked, told also to who does not see it. */
  isAnswer?: boolean
  /** What to press. */
  children?: ReactNode
}

/** The empty state of a list. */
export function EmptyState({ icon: Icon, title, text, isAnswer = false, children }: Props) {
  return (
    <div className="grid justify-items-center gap-3 rounded-md border px-6 py-12 text-center">
      <Icon aria-hidden className="size-6 text-muted-foreground" />
      <p role={isAnswer ? 'status' : undefined} className="font-medium">
        {title}
      </p>
      {text && <p className="max-w-sm text-sm text-pretty text-muted-foreground">{text}</p>}
      {children}
    </div>
  )
}
