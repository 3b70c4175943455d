/** Which record, and whose sources, stand open beside the conversation. */
import { createContext, use } from 'react'

import type { ChatRef } from '@/data/chat'

type SourcesState = {
  /** The sources of one answer; null while the panel is closed. */
  refs: readonly ChatRef[] | null
  showSources: (refs: readonly ChatRef[] | null) => void
  openRecord: (source: ChatRef) => void
}

export const SourcesContext = createContext<SourcesState | null>(null)

export function useSources(): SourcesState {
  const state = use(SourcesContext)
  if (!state) throw new Error('citations need a <SourcesProvider>')
  return state
}
