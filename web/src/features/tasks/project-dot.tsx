/** The colours a project may have: names in the database, so that each theme can set its own. */
import { cn } from '@/lib/cn'

export const projectColors = {
  verde: { label: 'Verde', look: 'bg-primary' },
  terracotta: { label: 'Terracotta', look: 'bg-terracotta' },
  blu: { label: 'Blu', look: 'bg-info' },
  giallo: { label: 'Giallo', look: 'bg-warning' },
  rosso: { label: 'Rosso', look: 'bg-error' },
  grigio: { label: 'Grigio', look: 'bg-input' },
} as const

export type ProjectColor = keyof typeof projectColors

export const isProjectColor = (color: string | null): color is ProjectColor =>
  color !== null && Object.hasOwn(projectColors, color)

export function ProjectDot({ color }: { color: string | null }) {
  const { look } = projectColors[isProjectColor(color) ? color : 'grigio']
  return <span aria-hidden className={cn('inline-block size-2.5 shrink-0 rounded-full', look)} />
}
