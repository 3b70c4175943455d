/** Whether a received mail is certified: its legal time and provider, or that it has no legal value. */
import type { MailCertificate } from '@/data/inbox'
import { legalTime } from '@/strings/dates'

export function CertifiedLine({ certificate }: { certificate: MailCertificate | null }) {
  if (!certificate) return null
  if (!certificate.is_certified)
    return <p className="text-sm text-error">Anomalia: arriva da una casella ordinaria, quindi non ha valore legale.</p>
  const words = ['PEC', certificate.at && legalTime(certificate.at), certificate.provider]
  return <p className="text-sm break-words">{words.filter(Boolean).join(' · ')}</p>
}
