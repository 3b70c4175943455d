import { queryOptions } from '@tanstack/react-query'

import { originalLink, type WholeDocument } from '@/data/document'
import { openPdf } from '@/lib/pdf'

/** The opened file; let go as soon as nobody looks at it. */
export function pdfQuery(document: WholeDocument) {
  return queryOptions({
    queryKey: ['pdf', document.storage_path],
    queryFn: async () => openPdf(await originalLink(document)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // It is no plain data to be compared.
    structuralSharing: false,
    retry: false,
  })
}
