/** One conversation as the screen works with it: the way through its messages, and what can be asked in it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'

import { isUnderWay, type Message, messagesKey, messagesQuery, type PickedRef } from '@/data/chat'
import { chatSettingsQuery } from '@/data/chat-settings'
import { ask, type Question, resume } from '@/data/chat-stream'
import type { SettledWish } from '@/features/chat/composer/use-wish'
import { type Choices, choicesTo, pathOf, withoutChoice } from '@/features/chat/thread/branches'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'

type Asked = {
  content: string
  attachments?: string[]
  picked?: PickedRef | null
  clientKey?: string
  /** The message that it comes after; the last one, unless a question is edited. */
  parentId?: string | null
  regenerate?: string | null
  mode?: 'locale'
}

type Options = {
  userId: string
  conversationId: string | null
  settledWish: (mode?: 'locale') => Promise<SettledWish>
  isTemporary: boolean
}

export function useChat({ userId, conversationId, settledWish, isTemporary }: Options) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const query = useQuery({ ...messagesQuery(userId, conversationId ?? ''), enabled: conversationId !== null })
  const [choices, setChoices] = useState<Choices>({})
  const [isAsking, setAsking] = useState(false)
  const isHere = useIsHere(conversationId)
  const messages = conversationId === null ? NONE : (query.data ?? NONE)
  const path = useMemo(() => pathOf(messages, choices), [messages, choices])
  const last = path.at(-1)?.message
  const running = messages.find(isUnderWay)

  // An answer that this page has not asked for: of another tab, or from before a reload.
  useEffect(() => {
    for (const message of messages) if (isUnderWay(message)) resume({ client, userId }, message)
  }, [client, userId, messages])

  /** @throws as `settledWish`, and as `ask` of data/chat-stream; then nothing was asked. */
  async function send(asked: Asked): Promise<void> {
    setAsking(true)
    try {
      const question: Question = {
        conversationId,
        parentId: asked.parentId === undefined ? (last?.id ?? null) : asked.parentId,
        regenerate: asked.regenerate ?? null,
        content: asked.content,
        attachments: asked.attachments ?? [],
        picked: asked.picked ?? null,
        ...(await settledWish(asked.mode)),
        isTemporary,
        clientKey: asked.clientKey ?? crypto.randomUUID(),
      }
      const turn = await ask({ client, userId }, question)
      // The new branch is what one wants to see.
      setChoices((before) => withoutChoice(before, question.parentId))
      if (conversationId === null && isHere()) {
        void navigate(paths.conversation(turn.conversationId), { replace: true, state: { isSame: true } })
      }
    } catch (error) {
      // It may be refused because of what happened elsewhere meanwhile.
      if (conversationId !== null) void client.invalidateQueries({ queryKey: messagesKey(userId, conversationId) })
      if (error instanceof FunctionError && SETTINGS_CHANGED.has(error.code)) {
        void client.invalidateQueries(chatSettingsQuery(userId))
      }
      throw error
    } finally {
      setAsking(false)
    }
  }

  const choose = useCallback((id: string) => setChoices((before) => choicesTo(messages, id, before)), [messages])

  return { query, messages, path, last, running, isAsking, send, choose }
}

const NONE: Message[] = []

/** Refusals that come of settings which are no longer those that were read: what an answer costs, whose model it is. */
const SETTINGS_CHANGED = new Set(['price_changed', 'consent_needed', 'local_only', 'ai_stopped'])

/** Whether the screen still shows what it showed when it asked. */
function useIsHere(conversationId: string | null): () => boolean {
  const now = useRef<string | null | undefined>(undefined)
  useEffect(() => {
    now.current = conversationId
    return () => {
      now.current = undefined
    }
  }, [conversationId])
  return () => now.current === conversationId
}
