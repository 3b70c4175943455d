/** Which field of a contact a column of a file holds: guessed by its title as Italian programs write it. */
import { columnOf, knownExport, plainTitle } from '@/lib/known-exports'

/** What a column can become. `phone`, `email`, `tags` and `note` may come from several columns. */
export type ContactField =
  | 'full_name'
  | 'family_first'
  | 'first_name'
  | 'last_name'
  | 'business_name'
  | 'company'
  | 'job_title'
  | 'email'
  | 'phone'
  | 'pec'
  | 'vat_number'
  | 'tax_code'
  | 'sdi_code'
  | 'sdi_or_pec'
  | 'street'
  | 'postal_code'
  | 'city'
  | 'province'
  | 'country'
  | 'website'
  | 'tags'
  | 'note'
  | 'last_contact'
  | 'birthday'
  | 'client_since'
  | 'revenue'
  | 'balance'

/** One entry for each column; null is left out of the import. */
export type Mapping = (ContactField | null)[]

const repeatable: ReadonlySet<ContactField> = new Set(['email', 'phone', 'tags', 'note'])

/** In this order: «E-mail PEC» is a PEC, «Nome azienda» a company, before their general words are looked for. */
const guesses: [ContactField, RegExp][] = [
  ['last_contact', /ultim[oa] (?:contatto|chiamata|telefonata|interazione|visita)|last contact/],
  ['birthday', /data (?:di )?nascita|compleanno|birthday|^nat[oa] il$/],
  ['client_since', /^client[ei] dal|customer since|data (?:di )?acquisizione/],
  ['revenue', /fatturato|\bricavi\b|volume d affari|\brevenue\b/],
  ['balance', /\bsaldo\b|\bscoperto\b|\bbalance\b/],
  ['sdi_or_pec', /indirizzo telematico|sdi (?:o|e) pec|pec (?:o|e) (?:codice )?sdi/],
  ['pec', /\bpec\b|posta (?:elettronica )?certificata/],
  ['sdi_code', /\bsdi\b|destinatario|\bcodice univoco\b|\bcod univoco\b/],
  ['vat_number', /^p ?iva\b|\bp(?:artita|art)? iva\b|^piva$|\bvat\b/],
  ['tax_code', /^c ?f$|cod(?:ice)? fisc(?:ale)?|^fiscal code$|^tax code$/],
  ['email', /\be ?mail\b|posta elettronica/],
  ['website', /\bsito\b|\bweb(?:site)?\b|^url$|pagina web/],
  ['phone', /^tel\b|telefono|\bcell\b|cellulare|\bmobile\b|\bphone\b|^numero$|whatsapp/],
  ['business_name', /ragione sociale|denominazione|business name|^rag soc/],
  ['company', /azienda|societa|\bditta\b|\bcompany\b|organi[sz]\w+ name|^organi[sz]\w+$|^impresa$/],
  ['family_first', /cognome e nome|cognome nome|last name first name/],
  ['full_name', /nome e cognome|nominativo|^contatto$|^cliente$|full ?name|display name|^name$|nome completo/],
  ['last_name', /cognome|last name|surname|family name/],
  ['first_name', /^nome$|first name|given name|nome proprio/],
  ['job_title', /ruolo|qualifica|mansione|posizione|job title|professione/],
  ['postal_code', /^cap\b|codice postale|postal code|\bzip\b/],
  ['province', /^prov\b|provincia|^pr$|\bregion\b|^state$/],
  ['city', /citta|comune|localita|\bcity\b/],
  ['country', /paese|nazione|\bcountry\b|^stato$/],
  ['street', /indirizzo|^via\b|\bstreet\b|^address$/],
  ['tags', /\btags?\b|etichett|categori|gruppo|\blabels?\b|group membership/],
  ['note', /^not[ae]s?$|annotazion|comment|descrizione/],
]

/** Labels of Google's export («Phone 1 - Label») and of Outlook's («Tipo posta elettronica») describe another column. */
const isLabel = (title: string): boolean =>
  /\d (?:label|type|etichetta|tipo)$|^tipo |mail (?:\d )?(?:type|display name)|visualizzat\w+ posta/.test(title)

/** «Consenso email», «Email marketing»: an answer of the contact, no address and no number. */
const isAnswer = (title: string): boolean => /consen[st]|marketing|newsletter|\bopt (?:in|out)\b/.test(title)

/** The field of each column, null where the title says nothing; no field twice unless it may be. */
export function guessColumns(header: readonly string[]): Mapping {
  const taken = new Set<ContactField>()
  const program = knownExport(header)
  const mapping = header.map((title): ContactField | null => {
    const words = plainTitle(title)
    const guess = isLabel(words) ? undefined : guesses.find(([, pattern]) => pattern.test(words))?.[0]
    const said = columnOf(program, title)
    const field = said === undefined ? guess : said
    if ((field === 'email' || field === 'phone') && isAnswer(words)) return null
    if (!field || (taken.has(field) && !repeatable.has(field))) return null
    taken.add(field)
    return field
  })
  // «Azienda» next to a partita IVA is the company that has it, not only a place of work.
  const isOfCompanies = taken.has('vat_number') && !taken.has('business_name')
  return isOfCompanies ? mapping.map((field) => (field === 'company' ? 'business_name' : field)) : mapping
}

/** `mapping` with `field` for one column, taken away from another column that may not share it. */
export function withColumn(mapping: Mapping, column: number, field: ContactField | null): Mapping {
  return mapping.map((current, index) => {
    if (index === column) return field
    return current === field && field && !repeatable.has(field) ? null : current
  })
}
