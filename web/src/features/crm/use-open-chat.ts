/** Which conversation by WhatsApp is open, and at which of its messages: both are in the address. */
import { useQuery } from '@tanstack/react-query'
import { useLocation, useSearchParams } from 'react-router'

import { whatsappChatQuery } from '@/data/whatsapp'

export function useOpenChat(userId: string) {
  const [params, setParams] = useSearchParams()
  const { hash } = useLocation()
  const openId = params.get('conversazione')
  // A link may lead to one that is in no list here, and an answer moves the open one to the other list.
  const { data } = useQuery({ ...whatsappChatQuery(userId, openId ?? ''), enabled: openId !== null })

  /** Opens a conversation at its end, or none. */
  function show(id: string | undefined) {
    setParams(
      (former) => {
        if (id) former.set('conversazione', id)
        else former.delete('conversazione')
        return former
      },
      { replace: true },
    )
  }
  return {
    openId,
    targetId: hash.startsWith('#m-') ? hash.slice(3) : null,
    chat: openId === null ? undefined : (data ?? undefined),
    show,
  }
}
