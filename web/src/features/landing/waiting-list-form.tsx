import { type FormEvent, useId, useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Spinner } from '@/components/ui/spinner'
import { joinWaitingList, WaitingListError } from '@/data/waiting-list'
import { paths } from '@/paths'

type State = { kind: 'entry'; problem?: Problem } | { kind: 'sending' } | { kind: 'sent' }
type Problem = { field: 'email' | 'consent' | null; text: string }

// The server decides; this catches the slip of a finger without zod, which the landing page does not load.
const PLAUSIBLE = /^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$/

function problemOf(email: string, hasConsent: boolean): Problem | undefined {
  if (!PLAUSIBLE.test(email)) return { field: 'email', text: 'Email non valida' }
  if (!hasConsent) return { field: 'consent', text: 'Serve il tuo consenso per scriverti' }
  return undefined
}

/** The address and the consent, both given by the person; the mail that follows confirms them. */
export function WaitingListForm() {
  const id = useId()
  const [state, setState] = useState<State>({ kind: 'entry' })
  const problem = state.kind === 'entry' ? state.problem : undefined

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const email = String(new FormData(form).get('email')).trim()
    const wrong = problemOf(email, new FormData(form).has('consent'))
    if (wrong) {
      setState({ kind: 'entry', problem: wrong })
      form.querySelector<HTMLInputElement>(`[name="${wrong.field}"]`)?.focus()
      return
    }
    setState({ kind: 'sending' })
    try {
      await joinWaitingList(email)
      setState({ kind: 'sent' })
    } catch (error) {
      if (!(error instanceof WaitingListError)) throw error
      setState({ kind: 'entry', problem: { field: null, text: error.message } })
    }
  }

  if (state.kind === 'sent') {
    return (
      <div role="status">
        <h3 className="text-base font-semibold">Controlla la tua casella email</h3>
        <p className="mt-2 text-sm text-pretty text-muted-foreground">
          Ti abbiamo scritto: premi il pulsante nell’email per confermare il tuo posto nella lista d’attesa.
        </p>
      </div>
    )
  }
  return (
    <form noValidate aria-labelledby={`${id}-titolo`} onSubmit={(event) => void submit(event)}>
      <h3 id={`${id}-titolo`} className="text-base font-semibold">
        Entra nella lista d’attesa
      </h3>
      <p className="mt-1 text-sm text-pretty text-muted-foreground">
        I 100 posti early bird sono assegnati. Ti scriviamo quando se ne aprono altri.
      </p>
      <fieldset disabled={state.kind === 'sending'} className="mt-4 grid gap-4">
        <div className="grid gap-1.5">
          <label htmlFor={`${id}-email`} className="text-sm font-medium">
            Email
          </label>
          <Input
            id={`${id}-email`}
            name="email"
            type="email"
            autoComplete="email"
            inputMode="email"
            autoCapitalize="none"
            spellCheck={false}
            aria-invalid={problem?.field === 'email'}
            aria-describedby={problem?.field === 'email' ? `${id}-errore` : undefined}
          />
          <Wrong id={`${id}-errore`} problem={problem} field="email" />
        </div>
        <label className="flex min-h-11 items-start gap-3 text-sm text-pretty">
          <input
            name="consent"
            type="checkbox"
            aria-invalid={problem?.field === 'consent'}
            aria-describedby={problem?.field === 'consent' ? `${id}-errore` : undefined}
            className="mt-0.5 size-5 shrink-0 accent-primary"
          />
          <span>
            Acconsento a ricevere un’email quando si aprono nuovi posti. Posso togliermi quando voglio, come spiega l’
            <Link to={paths.privacyPolicy} className="underline underline-offset-2">
              informativa privacy
            </Link>
            .
          </span>
        </label>
        <Wrong id={`${id}-errore`} problem={problem} field="consent" />
        <Wrong id={`${id}-errore`} problem={problem} field={null} />
        <Button type="submit" className="justify-self-start">
          {state.kind === 'sending' && <Spinner aria-hidden />}
          Avvisami
        </Button>
      </fieldset>
    </form>
  )
}

type WrongProps = { id: string; problem: Problem | undefined; field: Problem['field'] }

/** What is wrong, under the field that it is about. */
function Wrong({ id, problem, field }: WrongProps) {
  if (problem?.field !== field) return null
  return (
    <p id={id} role="alert" className="text-sm text-error">
      {problem.text}
    </p>
  )
}
