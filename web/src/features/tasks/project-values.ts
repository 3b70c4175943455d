/** A project as its form holds it, and as its row. */
import type { NewProject, Project } from '@/data/projects'
import { isProjectColor } from '@/features/tasks/project-dot'
import { priceOf } from '@/lib/typed-amount'
import { z } from '@/lib/zod'

export const projectSchema = z
  .object({
    name: z.string().trim().min(1, 'Scrivi un nome').max(200, 'Nome troppo lungo'),
    startsOn: z.string(),
    dueOn: z.string(),
    budget: z
      .string()
      .refine((text) => !text.trim() || priceOf(text) !== null, 'Scrivi un importo, per esempio 1.200,50'),
    status: z.enum(['attivo', 'in_pausa', 'chiuso']),
    color: z.string(),
    note: z.string().max(20_000, 'Nota troppo lunga'),
  })
  .refine(({ startsOn, dueOn }) => !startsOn || !dueOn || startsOn <= dueOn, {
    path: ['dueOn'],
    message: 'La consegna viene dopo l’inizio',
  })

export type ProjectValues = z.infer<typeof projectSchema>

const written = new Intl.NumberFormat('it-IT', { minimumFractionDigits: 2, useGrouping: 'always' })

export function valuesOf(project: Project | null): ProjectValues {
  return {
    name: project?.name ?? '',
    startsOn: project?.starts_on ?? '',
    dueOn: project?.due_on ?? '',
    budget: typeof project?.budget_cents === 'number' ? written.format(project.budget_cents / 100) : '',
    status: project?.status ?? 'attivo',
    color: project && isProjectColor(project.color) ? project.color : 'verde',
    note: project?.note ?? '',
  }
}

export function rowOf({ name, startsOn, dueOn, budget, status, color, note }: ProjectValues): NewProject {
  return {
    name: name.replaceAll(/\s+/g, ' '),
    starts_on: startsOn || null,
    due_on: dueOn || null,
    budget_cents: priceOf(budget),
    status,
    color,
    note: note.trim() || null,
  }
}
