/** Asks for one line of text: the name of a segment, of a tag, of a conversation, or the reason of an action. */
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'

type Props = {
  title: string
  text: string
  label: string
  submit: string
  /** What it is called so far. */
  initial?: string
  /** How many characters fit. */
  longest?: number
  /** Names to choose from while typing. */
  known?: string[]
  /** What is wrong, empty when nothing is. */
  check?: (name: string) => string
  /** What is said once it is saved. */
  done?: string
  /** A failure is told here; the dialog stays open. */
  onSubmit: (name: string) => Promise<unknown>
  onClose: () => void
  /** Choices that go with it, shown above it. */
  children?: ReactNode
}

function isThere(name: string): string {
  return name ? '' : 'Scrivi un nome'
}

export function NameDialog({
  title,
  text,
  label,
  submit,
  initial = '',
  longest = 60,
  known,
  check = isThere,
  done,
  onSubmit,
  onClose,
  children,
}: Props) {
  const id = useId()
  const [name, setName] = useState(initial)
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)

  async function send(event: FormEvent) {
    event.preventDefault()
    const written = name.replaceAll(/\s+/g, ' ').trim()
    const wrong = check(written)
    setError(wrong)
    if (wrong) return
    setBusy(true)
    try {
      await onSubmit(written)
      if (done) toast.success(done)
      onClose()
    } catch {
      setError('Non siamo riusciti a salvare: riprova')
      setBusy(false)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription className="break-words">{text}</DialogDescription>
        </DialogHeader>
        <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
          {children}
          <div className="grid gap-1.5">
            <Label htmlFor={id}>{label}</Label>
            <Input
              id={id}
              value={name}
              maxLength={longest}
              list={`${id}-known`}
              autoComplete="off"
              aria-invalid={Boolean(error)}
              aria-describedby={error ? `${id}-error` : undefined}
              onChange={(event) => setName(event.target.value)}
            />
            <datalist id={`${id}-known`}>
              {known?.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </datalist>
            {error && (
              <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
                {error}
              </p>
            )}
          </div>
          <Button type="submit" disabled={isBusy} className="justify-self-end">
            {isBusy && <Spinner aria-hidden />}
            {submit}
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}
