import { CircleAlertIcon, InfoIcon, TriangleAlertIcon } from 'lucide-react'

import type { Finding } from '@/data/invoices'

const looks = {
  errore: { icon: CircleAlertIcon, word: 'Errore', color: 'text-error' },
  avviso: { icon: TriangleAlertIcon, word: 'Avviso', color: 'text-foreground' },
  nota: { icon: InfoIcon, word: 'Nota', color: 'text-muted-foreground' },
} as const

const severities = Object.keys(looks)

/** What does not fit in the invoice, or what one should know before paying it; the gravest first. */
export function Findings({ findings }: { findings: Finding[] }) {
  if (findings.length === 0) return null
  const sorted = findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  return (
    <ul
      aria-label="Controlli"
      className="mx-auto mb-2 grid max-w-[52rem] gap-1.5 rounded-md bg-warning-tint px-4 py-3 text-sm print:hidden"
    >
      {sorted.map(({ code, severity, text }) => {
        const { icon: Icon, word, color } = looks[severity]
        return (
          <li key={`${code}-${text}`} className="flex items-start gap-2">
            <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${color}`} />
            <span className="min-w-0 break-words">
              <strong className="font-semibold">{word}:</strong> {text}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
