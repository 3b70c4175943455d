/** Which files the documents page takes: the same list and size as the bucket, so that a refusal comes before the wait. */
import { extensionOf } from '@/lib/object-names'

export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024

export type DocumentKind = 'pdf' | 'image' | 'invoice' | 'mail' | 'text' | 'archive'

/** By ending, because browsers know no type for half of them (.p7m, .eml). */
const types: Record<string, { mime: string; kind: DocumentKind }> = {
  pdf: { mime: 'application/pdf', kind: 'pdf' },
  jpg: { mime: 'image/jpeg', kind: 'image' },
  jpeg: { mime: 'image/jpeg', kind: 'image' },
  png: { mime: 'image/png', kind: 'image' },
  webp: { mime: 'image/webp', kind: 'image' },
  gif: { mime: 'image/gif', kind: 'image' },
  tif: { mime: 'image/tiff', kind: 'image' },
  tiff: { mime: 'image/tiff', kind: 'image' },
  heic: { mime: 'image/heic', kind: 'image' },
  heif: { mime: 'image/heif', kind: 'image' },
  xml: { mime: 'application/xml', kind: 'invoice' },
  p7m: { mime: 'application/pkcs7-mime', kind: 'invoice' },
  eml: { mime: 'message/rfc822', kind: 'mail' },
  docx: { mime: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', kind: 'text' },
  txt: { mime: 'text/plain', kind: 'text' },
  zip: { mime: 'application/zip', kind: 'archive' },
}

/** For the `accept` of a file field. */
export const acceptedEndings = Object.keys(types)
  .map((ending) => `.${ending}`)
  .join(',')

/** The type to store a file with; null when the page does not take it. */
export function mimeOf(name: string): string | null {
  return types[extensionOf(name)]?.mime ?? null
}

export function kindOf(name: string): DocumentKind | null {
  return types[extensionOf(name)]?.kind ?? null
}
