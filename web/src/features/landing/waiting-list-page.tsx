/**
 * /lista-attesa: target of the links in the waiting list's mails.
 *
 * Opening the page changes nothing: scanners open links too. A person presses a button.
 */
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { PageMessage } from '@/components/page-message'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { confirmWaitingList, leaveWaitingList, WaitingListError } from '@/data/waiting-list'
import { paths } from '@/paths'

type State = 'waiting' | 'working' | 'confirmed' | 'left' | 'dead'

const home = { label: 'Torna alla pagina iniziale', to: paths.landing }

const results = {
  confirmed: {
    title: 'Sei nella lista d’attesa',
    text: 'Ti scriviamo appena si aprono nuovi posti early bird. Per toglierti basta tornare qui dal link nell’email.',
  },
  left: {
    title: 'Non sei più nella lista',
    text: 'Abbiamo cancellato il tuo indirizzo. Se cambi idea, puoi iscriverti di nuovo dalla pagina iniziale.',
  },
  dead: {
    title: 'Questo link non vale più',
    text: 'È scaduto, oppure ti abbiamo mandato un’email più recente: usa il link di quella, o iscriviti di nuovo.',
  },
} satisfies Partial<Record<State, { title: string; text: string }>>

export default function WaitingListPage() {
  const [params] = useSearchParams()
  const token = params.get('token')
  const [state, setState] = useState<State>(token ? 'waiting' : 'dead')
  const [problem, setProblem] = useState('')

  async function run(action: (token: string) => Promise<void>, done: State): Promise<void> {
    setState('working')
    setProblem('')
    try {
      await action(token ?? '')
      setState(done)
    } catch (error) {
      if (!(error instanceof WaitingListError)) throw error
      const isDead = error.code === 'link_expired' || error.code === 'validation_failed'
      setState(isDead ? 'dead' : 'waiting')
      if (!isDead) setProblem(error.message)
    }
  }

  if (state === 'confirmed' || state === 'left' || state === 'dead') {
    const { title, text } = results[state]
    return (
      <PageMessage title={title} text={text} action={home} isAnswer={token !== null}>
        <PageTitle>{title}</PageTitle>
      </PageMessage>
    )
  }
  const isWorking = state === 'working'
  return (
    <PageMessage
      title="Il tuo posto in lista d’attesa"
      text="Conferma che l’indirizzo è tuo: ti scriviamo solo quando si aprono nuovi posti alle condizioni early bird."
      isAnswer={problem !== ''}
    >
      <PageTitle>Lista d’attesa</PageTitle>
      <div className="mt-3 flex flex-wrap justify-center gap-3">
        <Button disabled={isWorking} onClick={() => void run(confirmWaitingList, 'confirmed')}>
          {isWorking && <Spinner aria-hidden />}
          Conferma l’indirizzo
        </Button>
        <Button variant="outline" disabled={isWorking} onClick={() => void run(leaveWaitingList, 'left')}>
          Toglimi dalla lista
        </Button>
      </div>
      {problem && (
        <p role="alert" className="text-sm text-error">
          {problem}
        </p>
      )}
    </PageMessage>
  )
}
