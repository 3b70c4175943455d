/** Dictation by the browser, where it has it (Chrome and Safari; they may send the voice to their maker). */
import { useEffect, useRef, useState } from 'react'

/** The part of the Web Speech API that is used here. */
type Recognition = EventTarget & {
  lang: string
  continuous: boolean
  interimResults: boolean
  start: () => void
  stop: () => void
}
type Constructor = new () => Recognition

function constructor(): Constructor | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = window as {
    SpeechRecognition?: Constructor
    webkitSpeechRecognition?: Constructor
  }
  return SpeechRecognition ?? webkitSpeechRecognition
}

export const canDictate = (): boolean => constructor() !== undefined

type Options = {
  /** What was said, sentence by sentence. */
  onWords: (words: string) => void
  /** 'not-allowed' when the person or the browser refused the microphone. */
  onError: (error: string) => void
}

/** Listens in Italian from one press to the next. */
export function useDictation({ onWords, onError }: Options): { isListening: boolean; toggle: () => void } {
  const [isListening, setListening] = useState(false)
  const current = useRef<Recognition | null>(null)
  useEffect(() => () => current.current?.stop(), [])

  function toggle() {
    const Recognizer = constructor()
    if (current.current || !Recognizer) {
      current.current?.stop()
      return
    }
    const recognition = new Recognizer()
    Object.assign(recognition, { lang: 'it-IT', continuous: true, interimResults: false })
    recognition.addEventListener('result', (event) => {
      const { resultIndex, results } = event as SpeechRecognitionEvent
      const heard = [...results].slice(resultIndex).filter(({ isFinal }) => isFinal)
      const words = heard.map((result) => result[0]?.transcript.trim() ?? '').join(' ')
      if (words) onWords(words)
    })
    recognition.addEventListener('error', (event) => {
      const { error } = event as SpeechRecognitionErrorEvent
      if (error !== 'aborted' && error !== 'no-speech') onError(error)
    })
    recognition.addEventListener('end', () => {
      current.current = null
      setListening(false)
    })
    current.current = recognition
    recognition.start()
    setListening(true)
  }
  return { isListening, toggle }
}
