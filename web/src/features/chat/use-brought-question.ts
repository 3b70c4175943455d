import { useEffect, useEffectEvent } from 'react'
import { useLocation, useNavigate } from 'react-router'

import { changeDraft, draftAt } from '@/features/chat/composer/drafts'
import { draftKey } from '@/lib/chat-drafts'
import { paths } from '@/paths'

type Options = { userId: string; isFree: () => Promise<boolean>; send: () => Promise<void> }

/**
 * Types the question of an address below what was typed before. A question that was asked in a field of ours, which the
 * state of the navigation says and no address can, is sent too, if it is free: a price is seen before it is paid.
 */
export function useBroughtQuestion({ userId, isFree, send }: Options): void {
  const navigate = useNavigate()
  const { search, state } = useLocation()

  const onQuestion = useEffectEvent(async (question: string) => {
    const at = draftKey(userId, null)
    const { text: before, attachments } = draftAt(at)
    const text = before === '' || before === question ? question : `${before}\n${question}`
    changeDraft(at, () => ({ text }))
    void navigate(paths.chat, { replace: true })
    const isAsked = (state as { isAsked?: boolean } | null)?.isAsked === true
    if (!isAsked || text !== question || attachments.length > 0 || !(await isFree())) return
    // Changed, or sent, meanwhile.
    if (draftAt(at).text === question) await send()
  })

  useEffect(() => {
    const question = new URLSearchParams(search).get('domanda')
    if (question) void onQuestion(question)
  }, [search])
}
