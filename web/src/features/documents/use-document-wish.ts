/** Which documents the list shows, kept in the address so that it can be shared and gone back to. */
import { useSearchParams } from 'react-router'

import type { DocumentWish } from '@/data/documents-wish'
import { documentKindLabels, documentStateLabels } from '@/strings/documents'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

const keyIn = <K extends string>(labels: Record<K, string>, text: string | null): K | null =>
  (Object.keys(labels) as K[]).find((key) => key === text) ?? null
const fitting = (text: string | null, form: RegExp): string | null => (text && form.test(text) ? text : null)

export function useDocumentWish() {
  const [params, setParams] = useSearchParams()
  const wish: DocumentWish = {
    text: params.get('q') ?? '',
    kind: keyIn(documentKindLabels, params.get('tipo')),
    state: keyIn(documentStateLabels, params.get('stato')),
    contactId: fitting(params.get('contatto'), UUID),
    tagId: fitting(params.get('tag'), UUID),
    from: fitting(params.get('dal'), DAY),
    to: fitting(params.get('al'), DAY),
    isTrash: params.has('cestino'),
  }

  function change(part: Partial<DocumentWish>) {
    const { text, kind, state, contactId, tagId, from, to, isTrash } = { ...wish, ...part }
    const next = {
      cestino: isTrash ? '1' : null,
      q: text,
      tipo: kind,
      stato: state,
      contatto: contactId,
      tag: tagId,
      dal: from,
      al: to,
    }
    setParams(
      Object.entries(next).filter((entry): entry is [string, string] => Boolean(entry[1])),
      { replace: true },
    )
  }

  return { wish, change }
}
