/** A dialog that asks an admin for a choice, the `children`, and for words that are kept with it. */
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
  /** What the words are. */
  label: string
  submit: string
  /** What is said once it is saved. */
  done: string
  /** What is wrong, empty when nothing is. */
  check: (words: string) => string
  /** A failure is told here; the dialog stays open. */
  onSubmit: (words: string) => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

export function WordsDialog({ title, text, label, submit, done, check, onSubmit, onClose, children }: Props) {
  const id = useId()
  const [words, setWords] = useState('')
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)

  async function send(event: FormEvent) {
    event.preventDefault()
    const wrong = check(words.trim())
    setError(wrong)
    if (wrong) return
    setBusy(true)
    try {
      await onSubmit(words.trim())
      toast.success(done)
      onClose()
    } catch {
      setError('Non siamo riusciti a salvare: riprova')
      setBusy(false)
    }
  }

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription className="break-words">{text}</DialogDescription>
        </DialogHeader>
        <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
          {children}
          <div className="grid gap-1.5">
            <Label htmlFor={`${id}-words`}>{label}</Label>
            <Input
              id={`${id}-words`}
              autoComplete="off"
              maxLength={500}
              value={words}
              aria-invalid={Boolean(error)}
              aria-describedby={error ? `${id}-error` : undefined}
              onChange={({ target }) => setWords(target.value)}
            />
          </div>
          {error && (
            <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
              {error}
            </p>
          )}
          <Button type="submit" disabled={isBusy} className="justify-self-end">
            {isBusy && <Spinner aria-hidden />}
            {submit}
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}
