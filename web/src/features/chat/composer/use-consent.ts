/** Before the first question goes to a provider of a model its person is told whose it is, and agrees: once for each. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

import { agreeToProvider, type ChatSettings, chatSettingsQuery } from '@/data/chat-settings'
import type { SettledWish, useWish } from '@/features/chat/composer/use-wish'
import { NotAgreed } from '@/strings/chat'

/** What somebody says to a provider: yes, rather without one, or nothing. */
export type ConsentAnswer = 'agreed' | 'locale' | 'closed'

type Asked = { settings: ChatSettings; answer: (answer: ConsentAnswer) => void }

export function useConsent(
  userId: string,
  { settled, setWay }: Pick<ReturnType<typeof useWish>, 'settled' | 'setWay'>,
) {
  const client = useQueryClient()
  const [asked, setAsked] = useState<Asked | null>(null)
  // Who leaves has said nothing: the question goes back to where it was typed.
  const leave = useRef<() => void>(undefined)
  useEffect(() => () => leave.current?.(), [])

  async function askFor(settings: ChatSettings): Promise<ConsentAnswer> {
    const answer = await new Promise<ConsentAnswer>((resolve) => {
      leave.current = () => resolve('closed')
      setAsked({ settings, answer: resolve })
    })
    setAsked(null)
    return answer
  }

  return {
    asked,
    /** How a question is to be answered. @throws NotAgreed, and as `agreeToProvider` */
    settled: async (mode?: 'locale'): Promise<SettledWish> => {
      const wish = await settled(mode)
      if (wish.mode === 'locale') return wish
      const settings = await client.ensureQueryData(chatSettingsQuery(userId))
      if (settings.is_agreed) return wish
      const answer = await askFor(settings)
      if (answer === 'closed') throw new NotAgreed()
      if (answer === 'agreed') {
        await agreeToProvider(client, userId, settings.host)
        return wish
      }
      setWay('locale')
      return settled('locale')
    },
  }
}
