/** How series are told apart: by their colour, and by a pattern for whoever does not see it. */
import { cn } from '@/lib/cn'

export type Tone = 'plain' | 'striped' | 'dotted'

const colors: Record<Tone, string> = { plain: 'text-primary', striped: 'text-primary', dotted: 'text-error' }

/** The class that gives `currentColor` the colour of a tone. */
export const toneClass = (tone: Tone): string => colors[tone]

/** What an area of a tone is filled with; `id` is that of the drawing. */
export const toneFill = (id: string, tone: Tone): string => (tone === 'plain' ? 'currentColor' : `url(#${id}-${tone})`)

export function TonePatterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={`${id}-striped`}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
        className={colors.striped}
      >
        <rect width="6" height="6" fill="var(--card)" />
        <rect width="3" height="6" fill="currentColor" />
      </pattern>
      <pattern id={`${id}-dotted`} width="6" height="6" patternUnits="userSpaceOnUse" className={colors.dotted}>
        <rect width="6" height="6" fill="currentColor" />
        <circle cx="3" cy="3" r="1.4" fill="var(--card)" />
      </pattern>
    </defs>
  )
}

/** The name of a series with a sample of its look. */
export function ToneName({ id, tone, name }: { id: string; tone: Tone; name: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <svg aria-hidden width="12" height="12" className={cn('rounded-[2px]', colors[tone])}>
        <TonePatterns id={`${id}-name-${tone}`} />
        <rect
          x="0.5"
          y="0.5"
          width="11"
          height="11"
          fill={toneFill(`${id}-name-${tone}`, tone)}
          stroke="currentColor"
        />
      </svg>
      {name}
    </span>
  )
}
