/** Asking what stands in the field: it leaves the field at once, and comes back with the reason when it was refused. */
import { useState } from 'react'

import type { PickedRef } from '@/data/chat'
import { type Attachment, giveBack, letGo, takeDraft } from '@/features/chat/composer/drafts'
import { FunctionError } from '@/lib/server-errors'
import { isOfModel, refusalText } from '@/strings/chat'

type Asked = {
  content: string
  attachments?: string[]
  picked?: PickedRef | null
  clientKey?: string
  mode?: 'locale'
}

/** What is on its way, and has no row yet. */
export type Pending = { text: string; attachments: readonly Attachment[] }

/** Why a question was not asked; whether it could be without a model. */
export type Refusal = { text: string; isOfModel: boolean }

/** `at` is where the draft stands. */
export function useAsking(at: string, ask: (asked: Asked) => Promise<void>) {
  const [pending, setPending] = useState<Pending | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  async function run(shown: Pending, asked: Asked): Promise<boolean> {
    setRefusal(null)
    setPending(shown)
    try {
      await ask(asked)
      return true
    } catch (error) {
      const code = error instanceof FunctionError ? error.code : null
      setRefusal({ text: refusalText(error), isOfModel: isOfModel(code) })
      return false
    } finally {
      setPending(null)
    }
  }

  async function send(mode?: 'locale'): Promise<void> {
    const draft = takeDraft(at)
    const attachments = draft.attachments.map(({ id }) => id)
    const isAsked = await run(draft, {
      content: draft.text,
      attachments,
      clientKey: draft.clientKey,
      ...(mode && { mode }),
    })
    if (isAsked) letGo(at)
    else giveBack(at)
  }

  /** What was clicked instead of typed. */
  async function sendText(content: string, picked: PickedRef | null): Promise<void> {
    await run({ text: content, attachments: [] }, { content, picked })
  }

  return { pending, refusal, send, sendText }
}
