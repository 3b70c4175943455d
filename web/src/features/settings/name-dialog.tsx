import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'

import { AuthForm, TextField } from '@/components/auth-form'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { z } from '@/lib/zod'

const nameSchema = z.object({
  name: z.string().trim().min(1, 'Scrivi un nome').max(120, 'Nome troppo lungo'),
})

type Values = z.infer<typeof nameSchema>

type Props = {
  title: string
  text: string
  submit: string
  name: string
  /** Handles its own failures. */
  onSubmit: (name: string) => Promise<void>
  onClose: () => void
}

/** Asks for the name by which a person tells their keys apart. Mounted only while open. */
export function NameDialog({ title, text, submit, name, onSubmit, onClose }: Props) {
  const form = useForm<Values>({ resolver: zodResolver(nameSchema), defaultValues: { name } })
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription>{text}</DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={(values) => onSubmit(values.name)} submit={submit}>
          <TextField name="name" label="Nome" autoComplete="off" maxLength={120} />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
