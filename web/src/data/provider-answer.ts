/** What a provider sent a person back with, in the fragment of an address (functions/_shared/returns.py). */
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'

export type ProviderAnswer = { state: string; code?: string; error?: string }

function answerIn(hash: string, prefix: string): ProviderAnswer | null {
  const told = new URLSearchParams(hash.slice(1))
  const [state, code, error] = ['stato', 'codice', 'errore'].map((name) => told.get(`${prefix}_${name}`))
  if (!state || !(code || error)) return null
  return { state, ...(error ? { error } : {}), ...(code ? { code } : {}) }
}

/** Hands over the answer whose names begin with `prefix`, once for each state, and takes it out of the address. */
export function useProviderAnswer(prefix: string, onAnswer: (answer: ProviderAnswer) => void): void {
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  const taken = useRef<string | null>(null)

  useEffect(() => {
    const answer = answerIn(hash, prefix)
    if (!answer || taken.current === answer.state) return
    taken.current = answer.state
    void navigate(pathname, { replace: true })
    onAnswer(answer)
  }, [hash, pathname, navigate, prefix, onAnswer])
}
