import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { type UseFormRegister, useForm } from 'react-hook-form'

import { AuthForm, TextField } from '@/components/auth-form'
import { ContactField } from '@/components/contact-field'
import { MARKDOWN_HINT } from '@/components/markdown'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Label } from '@/components/ui/label'
import { Textarea } from '@/components/ui/textarea'
import { type Project, useAddProject, useChangeProject } from '@/data/projects'
import { isProjectColor, projectColors, ProjectDot } from '@/features/tasks/project-dot'
import { type ProjectValues, projectSchema, rowOf, valuesOf } from '@/features/tasks/project-values'
import { SelectField } from '@/features/tasks/select-field'
import { tellFailure } from '@/components/save-failure'
import { projectStatuses } from '@/strings/tasks'

type Props = { userId: string; /** Null for a new one. */ project: Project | null; onClose: () => void }

/** Mounted only while open. */
export function ProjectDialog({ userId, project, onClose }: Props) {
  const add = useAddProject(userId)
  const change = useChangeProject(userId)
  const [contact, setContact] = useState(project?.contact ?? null)
  const form = useForm<ProjectValues>({ resolver: zodResolver(projectSchema), defaultValues: valuesOf(project) })

  async function onSubmit(values: ProjectValues) {
    const row = { ...rowOf(values), contact_id: contact?.id ?? null }
    try {
      if (project) await change.mutateAsync({ id: project.id, change: row })
      else await add.mutateAsync(row)
      onClose()
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{project ? 'Modifica progetto' : 'Nuovo progetto'}</DialogTitle>
          <DialogDescription className="sr-only">Nome, cliente, date e budget.</DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Salva">
          <TextField name="name" label="Nome" autoComplete="off" maxLength={200} />
          <ContactField userId={userId} label="Cliente" value={contact} onChoose={setContact} />
          <div className="grid gap-5 sm:grid-cols-2">
            <TextField name="startsOn" label="Inizio" type="date" />
            <TextField name="dueOn" label="Consegna" type="date" />
            <TextField name="budget" label="Budget (€)" inputMode="decimal" autoComplete="off" placeholder="1.200,00" />
            <SelectField label="Stato" {...form.register('status')}>
              {Object.entries(projectStatuses).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </SelectField>
          </div>
          <ColorChoice register={form.register} />
          <div className="grid gap-1.5">
            <Label htmlFor="nota-progetto">Note</Label>
            <Textarea
              id="nota-progetto"
              rows={3}
              maxLength={20_000}
              aria-describedby="nota-progetto-aiuto"
              {...form.register('note')}
            />
            <p id="nota-progetto-aiuto" className="text-sm text-muted-foreground">
              {MARKDOWN_HINT}
            </p>
          </div>
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}

function ColorChoice({ register }: { register: UseFormRegister<ProjectValues> }) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Colore</legend>
      <div className="flex flex-wrap gap-2">
        {Object.entries(projectColors).map(([color, { label }]) => (
          <label
            key={color}
            className="flex min-h-11 cursor-pointer items-center gap-2 rounded-md border border-input px-3 text-sm has-checked:border-primary has-checked:bg-secondary has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
          >
            <input type="radio" value={color} className="sr-only" {...register('color')} />
            <ProjectDot color={isProjectColor(color) ? color : null} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
