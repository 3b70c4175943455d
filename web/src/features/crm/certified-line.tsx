/** Shows the legal time and the provider of a certified mail that was received, or that it has no legal value. */
import type { MailCertificate } from '@/data/inbox'
import { legalTime } from '@/strings/dates'

export function CertifiedLine({ certificate }: { certificate: MailCertificate | null }) {
  if (!certificate) return null
  if (!certificate.is_certified)
    return <p className="text-sm text-error">Anomalia: arriva da una casella ordinaria, quindi non ha valore legale.</p>
  const words = ['PEC', certificate.at && legalTime(certificate.at), certificate.provider]
  return <p className="text-sm break-words">{words.filter(Boolean).join(' · ')}</p>
}
