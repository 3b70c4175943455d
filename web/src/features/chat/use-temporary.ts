/** A temporary conversation is deleted when its screen is left; what a closed tab leaves, the server deletes. */
import { useEffect, useEffectEvent } from 'react'

import { useDeleteConversations } from '@/data/conversations'

/** React mounts twice while developing, and a page may come back at once. */
const GRACE_MS = 500

const leaving = new Map<string, number>()

/** `id` of the conversation that is shown, if it is a temporary one. */
export function useTemporary(userId: string, id: string | null): void {
  const { mutate } = useDeleteConversations(userId)
  const remove = useEffectEvent((one: string) => mutate([one]))
  useEffect(() => {
    if (id === null) return undefined
    window.clearTimeout(leaving.get(id))
    return () => {
      leaving.set(
        id,
        window.setTimeout(() => remove(id), GRACE_MS),
      )
    }
  }, [id])
}
