/** Counterparties of papers, and what may become of them, in words. */
import type { Candidate, Draft, Party } from '@/data/parties'
import { shortDate } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'

export const reasons: Record<Candidate['reason'], string> = {
  vat_number: 'stessa P.IVA',
  tax_code: 'stesso codice fiscale',
  same_name: 'stesso nome',
  similar_name: 'nome simile',
}

/** Some papers show only a number. */
export const nameOf = ({ name, vat_number, tax_code }: Party): string => name ?? vat_number ?? tax_code ?? 'Senza nome'

/** «3 documenti, 2 nel registro · emesse 366,00 € · l’ultimo del 17 nov 2026». */
export function partyFacts({ document_ids: ids, invoices, issued_cents, received_cents, latest_on }: Party): string {
  const papers = ids.length === 1 ? '1 documento' : `${ids.length} documenti`
  return [
    invoices > 0 ? `${papers}, ${invoices} nel registro` : papers,
    issued_cents !== null && `emesse ${formatEuro(issued_cents)}`,
    received_cents !== null && `ricevute ${formatEuro(received_cents)}`,
    `${ids.length === 1 ? 'del' : 'l’ultimo del'} ${shortDate(latest_on)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** «P.IVA 00743110157 · Via Roma 1, 40121 Bologna (BO) · SDI ABC1234»: what a new contact would say beside its name. */
export function draftText({ vat_number, tax_code, address, sdi_code, pec, email }: Draft): string {
  const town = [address?.postal_code, address?.city, address?.province && `(${address.province})`]
    .filter(Boolean)
    .join(' ')
  return [
    vat_number && `P.IVA ${vat_number}`,
    tax_code && tax_code !== vat_number && `C.F. ${tax_code}`,
    [address?.street, town].filter(Boolean).join(', '),
    sdi_code && `codice SDI ${sdi_code}`,
    pec && `PEC ${pec}`,
    email,
  ]
    .filter(Boolean)
    .join(' · ')
}
