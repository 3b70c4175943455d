/** Writes a fact down by hand; one nearly like it is shown first, so that the same is not kept twice. */
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { ContactField } from '@/components/contact-field'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Spinner } from '@/components/ui/spinner'
import { Textarea } from '@/components/ui/textarea'
import { LONGEST, type Memory, type NewMemory, refusalOf, SHORTEST, useRemember } from '@/data/memories'
import { SimilarDialog } from '@/features/memory/similar-dialog'
import { memoryKinds, refusalText, writableKinds } from '@/strings/memory'

type WritableKind = keyof typeof writableKinds
const kinds = Object.keys(writableKinds) as WritableKind[]

export function MemoryForm({ userId, memories }: { userId: string; memories: Memory[] }) {
  const id = useId()
  const [kind, setKind] = useState<WritableKind>('preferenza')
  const [contact, setContact] = useState<{ id: string; name: string | null } | null>(null)
  const [text, setText] = useState('')
  const [error, setError] = useState('')
  const [similar, setSimilar] = useState<Memory | null>(null)
  const remember = useRemember(userId)

  async function save(more?: Pick<NewMemory, 'replaces' | 'anyway'>) {
    try {
      await remember.mutateAsync({
        body: text.trim(),
        kind,
        contactId: kind === 'contatto' ? contact?.id : undefined,
        ...more,
      })
      setText('')
      setError('')
      setSimilar(null)
      toast.success('Lo ricorderò')
    } catch (failure) {
      const refusal = refusalOf(failure)
      if (refusal.reason !== 'similar') {
        setSimilar(null)
        setError(refusalText(refusal))
        return
      }
      const known = memories.find((memory) => memory.id === refusal.id)
      if (known) setSimilar(known)
      else setError('C’è già un ricordo quasi uguale: ricarica la pagina per vederlo.')
    }
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (remember.isPending) return
    if (text.trim().length < SHORTEST) setError(`Scrivi una frase di almeno ${SHORTEST} caratteri.`)
    else void save()
  }

  return (
    <Card>
      <form noValidate onSubmit={onSubmit} className="grid gap-4">
        <div className="grid gap-1.5">
          <Label htmlFor={`${id}-text`}>Ricorda che…</Label>
          <Textarea
            id={`${id}-text`}
            rows={2}
            maxLength={LONGEST}
            value={text}
            placeholder={writableKinds[kind]}
            aria-invalid={error !== ''}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={({ target }) => {
              setText(target.value)
              setError('')
            }}
          />
          {error && (
            <p id={`${id}-error`} role="alert" className="text-sm text-error">
              {error}
            </p>
          )}
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <div className="grid gap-1.5">
            <Label htmlFor={`${id}-kind`}>Tipo</Label>
            <Select id={`${id}-kind`} value={kind} onChange={({ target }) => setKind(target.value as WritableKind)}>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {memoryKinds[one]}
                </option>
              ))}
            </Select>
          </div>
          {kind === 'contatto' && <ContactField userId={userId} label="Su chi" value={contact} onChoose={setContact} />}
        </div>
        <Button type="submit" disabled={remember.isPending} className="justify-self-start">
          {remember.isPending && <Spinner aria-hidden />}
          Ricorda
        </Button>
      </form>
      {similar && (
        <SimilarDialog
          known={similar}
          text={text.trim()}
          isBusy={remember.isPending}
          onReplace={() => void save({ replaces: similar.id })}
          onKeepBoth={() => void save({ anyway: true })}
          onClose={() => setSimilar(null)}
        />
      )}
    </Card>
  )
}
