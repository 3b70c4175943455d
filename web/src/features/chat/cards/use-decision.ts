import { useRef } from 'react'
import { toast } from 'sonner'

import { type Decision, type ToolCall, useDecide } from '@/data/tool-calls'
import { fieldErrors, refusalText } from '@/features/chat/cards/refusals'

/** Sends one word at a time about a proposal; what is refused is told under its field, or in a toast. */
export function useDecision(userId: string, call: ToolCall) {
  const { mutateAsync, isPending, error, reset } = useDecide(userId)
  // The second click of two comes before the answer to the first one is drawn.
  const isSent = useRef(false)

  async function send(decision: Omit<Decision, 'call'>): Promise<void> {
    if (isSent.current) return
    isSent.current = true
    try {
      await mutateAsync({ call, ...decision })
    } catch (refusal) {
      isSent.current = false
      if (Object.keys(fieldErrors(refusal)).length === 0) toast.error(refusalText(refusal))
    }
  }

  return { send, isPending, errors: fieldErrors(error), reset }
}
