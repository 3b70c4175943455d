import type { ChatRef } from '@/data/chat'
import { paths } from '@/paths'

/** Where a record has a page of its own; null for what is only read beside the conversation. */
export function recordPath({ kind, id, place }: Pick<ChatRef, 'kind' | 'id'> & Partial<ChatRef>): string | null {
  switch (kind) {
    case 'contact':
      return paths.crmContact(id)
    case 'deal':
      return paths.crmDeal(id)
    case 'task':
      return paths.task(id)
    case 'project':
      return paths.project(id)
    case 'document':
      return place
        ? paths.documentPassage(id, String(place.page), `${place.word_from}-${place.word_to}`)
        : paths.document(id)
    case 'memory':
      return paths.settingsMemory
    case 'goal':
      return paths.mandate(id)
    case 'credits':
      return paths.settingsCredits
    default:
      return null
  }
}
