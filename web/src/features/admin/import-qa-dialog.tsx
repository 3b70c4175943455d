/** Imports a report that Playwright's JSON reporter wrote. */
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'
import { type KeptRun, useImportQa } from '@/data/admin-qa'
import { FunctionError } from '@/lib/server-errors'

export function ImportQaDialog({ onClose }: { onClose: () => void }) {
  const id = useId()
  const { mutateAsync, isPending } = useImportQa()
  const [file, setFile] = useState<File>()
  const [browser, setBrowser] = useState('')
  const [version, setVersion] = useState('')
  const [error, setError] = useState('')

  async function send(event: FormEvent) {
    event.preventDefault()
    setError(file ? '' : 'Scegli il file')
    if (!file) return
    try {
      toast.success(told(await mutateAsync({ file, browser: browser.trim(), version: version.trim() })))
      onClose()
    } catch (refusal) {
      const isOurs = refusal instanceof FunctionError && refusal.status < 500
      setError(isOurs ? refusal.message : 'Non siamo riusciti a importare l’esito: riprova')
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Importa esito</DialogTitle>
          <DialogDescription>
            Il report JSON di Playwright. Lo stesso report importato due volte non cambia niente.
          </DialogDescription>
        </DialogHeader>
        <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
          <div className="grid gap-1.5">
            <Label htmlFor={`${id}-file`}>File</Label>
            <Input
              id={`${id}-file`}
              type="file"
              accept=".json,application/json"
              aria-invalid={Boolean(error)}
              aria-describedby={error ? `${id}-error` : undefined}
              onChange={({ target }) => setFile(target.files?.[0])}
            />
          </div>
          <fieldset className="grid grid-cols-2 gap-3">
            <legend className="mb-2 text-sm text-muted-foreground">Solo se il report non lo dice:</legend>
            <div className="grid gap-1.5">
              <Label htmlFor={`${id}-browser`}>Browser</Label>
              <Input
                id={`${id}-browser`}
                placeholder="firefox"
                maxLength={30}
                value={browser}
                onChange={({ target }) => setBrowser(target.value)}
              />
            </div>
            <div className="grid gap-1.5">
              <Label htmlFor={`${id}-version`}>Versione</Label>
              <Input
                id={`${id}-version`}
                placeholder="140.2"
                maxLength={30}
                value={version}
                onChange={({ target }) => setVersion(target.value)}
              />
            </div>
          </fieldset>
          {error && (
            <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
              {error}
            </p>
          )}
          <Button type="submit" disabled={isPending} className="justify-self-end">
            {isPending && <Spinner aria-hidden />}
            Importa
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}

function told(runs: KeptRun[]): string {
  if (runs.every((run) => !run.is_new)) return 'Questo esito c’era già'
  const failed = runs.reduce((sum, run) => sum + run.failed, 0)
  return failed === 0 ? 'Esito importato: tutto passato' : `Esito importato: ${failed} da guardare`
}
