/**
 * /disiscrizione: target of the link in promotions that people send through the product.
 *
 * Opening the page changes nothing: scanners open links too. A person presses a button.
 */
import { useState } from 'react'
import { useLocation } from 'react-router'

import { PageMessage } from '@/components/page-message'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { unsubscribe } from '@/data/unsubscribe'

type State = 'waiting' | 'working' | 'failed' | 'done' | 'dead'

const results = {
  done: {
    title: 'Disiscrizione fatta',
    text: 'Chi ti scriveva non può più mandare email a questo indirizzo con Socio. Puoi chiudere la pagina.',
  },
  dead: {
    title: 'Questo link non vale',
    text: 'Aprilo di nuovo dall’ultima email che hai ricevuto, tutto intero.',
  },
} satisfies Partial<Record<State, { title: string; text: string }>>

export default function UnsubscribePage() {
  const { search } = useLocation()
  const [state, setState] = useState<State>('waiting')

  async function onPress() {
    setState('working')
    try {
      setState((await unsubscribe(search)) ? 'done' : 'dead')
    } catch {
      setState('failed')
    }
  }

  if (state === 'done' || state === 'dead') {
    const { title, text } = results[state]
    return (
      <PageMessage title={title} text={text} isAnswer>
        <PageTitle>{title}</PageTitle>
      </PageMessage>
    )
  }
  return (
    <PageMessage
      title="Non vuoi più queste email?"
      text="Con un clic chi ti ha scritto non potrà più mandarti email con Socio. Non serve un account."
    >
      <PageTitle>Disiscrizione</PageTitle>
      <Button className="mt-3" disabled={state === 'working'} onClick={() => void onPress()}>
        {state === 'working' && <Spinner aria-hidden />}
        Disiscrivimi
      </Button>
      {state === 'failed' && (
        <p role="alert" className="text-sm text-error">
          Non riusciamo a raggiungere il server. Riprova tra poco.
        </p>
      )}
    </PageMessage>
  )
}
