/** What the page of one's data says of archives. */
import type { DataExport } from '@/data/data-exports'
import { shortDate } from '@/strings/dates'
import { deletionDomains } from '@/strings/deletion'
import { formatBytes } from '@/strings/files'
import { formatCount } from '@/strings/numbers'
import { dataDomain } from '@/strings/privacy'

/** In the order of the archive. */
export const exportDomains = Object.keys(deletionDomains)

/** «Tutto · con i file originali» or «Progetti e attività; Clienti, email e trattative · senza file». */
export function exportContent({ domains, with_files: withFiles }: DataExport): string {
  const isAll = exportDomains.every((domain) => domains.includes(domain))
  const parts = isAll ? 'Tutto' : domains.map((domain) => dataDomain(domain).title).join('; ')
  return `${parts} · ${withFiles ? 'con i file originali' : 'senza file'}`
}

/** «310 kB», and for one that is not there why. */
export function exportTitle({ state, bytes }: DataExport): string {
  const size = bytes === null ? '' : ` di ${formatBytes(bytes)}`
  switch (state) {
    case 'pronto':
      return `Archivio${size}`
    case 'in_attesa':
    case 'in_corso':
      return 'Archivio in preparazione'
    case 'annullato':
      return 'Archivio annullato'
    case 'fallito':
      return 'Archivio non riuscito'
    case 'scaduto':
      return `Archivio${size}, non più scaricabile`
  }
}

/** «Scaricabile fino al 5 dic 2026 · scaricato 2 volte»; null where nothing can be done. */
export function exportHint({ state, lacked_space: lackedSpace, expires_at: until, opens }: DataExport): string | null {
  if (state === 'fallito' && lackedSpace)
    return 'Non c’è abbastanza spazio sul server per prepararlo: riprova più tardi.'
  if (state === 'fallito') return 'Non siamo riusciti a prepararlo: chiedilo di nuovo.'
  if (state !== 'pronto' || until === null) return null
  const times =
    opens === 0 ? 'non ancora scaricato' : `scaricato ${opens === 1 ? '1 volta' : `${formatCount(opens)} volte`}`
  return `Scaricabile fino al ${shortDate(until)} · ${times}`
}
