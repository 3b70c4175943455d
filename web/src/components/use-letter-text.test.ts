import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'

import { useLetterText } from '@/components/use-letter-text'

const thanks = { subject: 'Grazie', body: 'Grazie, Anna' }
const quote = { subject: 'Preventivo', body: 'Ecco il preventivo' }

function writing(initial = { subject: '', body: '' }) {
  const { result } = renderHook(() => useLetterText(initial))
  return { result, step: (name: 'replace' | 'change', value: typeof thanks) => act(() => result.current[name](value)) }
}

it('replaces nothing that anybody wrote without a way back', () => {
  const { result, step } = writing()
  step('change', { subject: '', body: 'Ciao Anna' })
  step('replace', thanks)
  expect(result.current).toMatchObject({ text: thanks, hasBefore: true })
  act(() => result.current.putBack())
  expect(result.current).toMatchObject({ text: { subject: '', body: 'Ciao Anna' }, hasBefore: false })
})

it('keeps what was typed while templates are tried one after the other', () => {
  const { result, step } = writing({ subject: 'Sollecito', body: 'Gentile Anna' })
  step('replace', thanks)
  step('replace', quote)
  act(() => result.current.putBack())
  expect(result.current.text).toEqual({ subject: 'Sollecito', body: 'Gentile Anna' })
})

it('puts back the template that somebody wrote more into', () => {
  const { result, step } = writing()
  step('replace', thanks)
  expect(result.current.hasBefore).toBe(false)
  const more = { ...thanks, body: 'Grazie, Anna, e a presto' }
  step('change', more)
  step('replace', quote)
  act(() => result.current.putBack())
  expect(result.current.text).toEqual(more)
})

it('has nothing to put back where only the subject was given', () => {
  const { result, step } = writing({ subject: 'Sito web', body: '' })
  step('replace', quote)
  expect(result.current).toMatchObject({ text: quote, hasBefore: false })
})

it('leaves the subject where a template has none', () => {
  const { result } = writing({ subject: 'Re: Sito web', body: '' })
  act(() => result.current.replace({ subject: null, body: 'Grazie' }))
  expect(result.current.text).toEqual({ subject: 'Re: Sito web', body: 'Grazie' })
})
