import { type FormEvent, useId, useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { paths } from '@/paths'

const LONGEST = 1_000
/** The conversation need not ask again (useBroughtQuestion). */
const asked = { isAsked: true }
const questions = ['Che cosa devo fare oggi?', 'Chi devo richiamare?', 'Quali fatture scadono?']

/** «Chiedi a Socio»: the question goes along to the conversation, and is sent there at once unless it costs credits. */
export function AskCard() {
  const id = useId()
  const navigate = useNavigate()
  const [question, setQuestion] = useState('')

  function ask(event: FormEvent) {
    event.preventDefault()
    const text = question.trim()
    if (text) void navigate(paths.ask(text), { state: asked })
    else void navigate(paths.chat)
  }

  return (
    <Card className="gap-3">
      <Label htmlFor={id} className="text-base font-semibold">
        Chiedi a Socio
      </Label>
      <form className="flex gap-2" onSubmit={ask}>
        <Input
          id={id}
          value={question}
          maxLength={LONGEST}
          autoComplete="off"
          placeholder="Quanto ho in trattativa?"
          onChange={({ target }) => setQuestion(target.value)}
        />
        <Button>Chiedi</Button>
      </form>
      <ul className="flex flex-wrap gap-2">
        {questions.map((text) => (
          <li key={text}>
            <Button variant="secondary" size="sm" asChild>
              <Link to={paths.ask(text)} state={asked}>
                {text}
              </Link>
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
