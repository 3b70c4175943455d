/**
 * invoices.content: an electronic invoice as functions/_shared/fatturapa/model.py writes it, field by field.
 * Days are ISO dates, money is whole cents, prices, quantities and rates keep the decimals of the file as text, codes have
 * their words in functions/_shared/fatturapa/codes.json. What is missing in the file is null.
 */
export type InvoiceContent = {
  version: string
  body_no: number
  transmission: Transmission
  supplier: Party
  customer: Party
  representative: Party | null
  intermediary: Party | null
  issued_by: string | null
  type_code: string | null
  currency: string | null
  issued_on: string | null
  number: string | null
  withholdings: { type_code: string | null; amount_cents: number | null; rate: string | null; reason: string | null }[]
  stamp: { virtual: boolean; amount_cents: number | null } | null
  funds: Fund[]
  discounts: Discount[]
  stated_total_cents: number | null
  rounding_cents: number | null
  reasons: string[]
  art73: boolean
  references: Reference[]
  phases: number[]
  deliveries: { number: string | null; issued_on: string | null; lines: number[] }[]
  transport: Transport | null
  main_invoice: Corrected | null
  corrected_invoice: Corrected | null
  lines: Line[]
  summaries: Summary[]
  vehicle: { registered_on: string | null; distance: string | null } | null
  installments: Installment[]
  /** Their bytes are documents of their own, whose parent is the invoice's document. */
  attachments: Attachment[]
  signature: Signature | null
  /** Worked out: sum of the summary's taxable amounts, of its taxes, the total, and what is to be paid to the supplier. */
  net_cents: number | null
  vat_cents: number | null
  total_cents: number | null
  due_cents: number | null
  /** Who pays the stamp; null: no stamp, or the file does not show it. Missing in what was read before Socio told it. */
  stamp_borne_by?: 'totale' | 'riga' | 'emittente' | null
  findings: Finding[]
}

type Finding = { code: string; severity: 'errore' | 'avviso' | 'nota'; text: string }

type Address = {
  street: string | null
  number: string | null
  postal_code: string | null
  city: string | null
  province: string | null
  country: string | null
}

type Party = {
  name: string | null
  vat_country: string | null
  vat_number: string | null
  tax_code: string | null
  first_name: string | null
  last_name: string | null
  title: string | null
  eori: string | null
  regime: string | null
  professional: { register: string | null; province: string | null; number: string | null; since: string | null } | null
  address: Address | null
  branch: Address | null
  registration: Registration | null
  phone: string | null
  fax: string | null
  email: string | null
  admin_reference: string | null
  representative: Party | null
}

type Registration = {
  office: string | null
  number: string | null
  capital_cents: number | null
  sole_partner: string | null
  liquidation: string | null
}

type Transmission = {
  sender: string | null
  progressive: string | null
  format: string | null
  recipient_code: string | null
  recipient_pec: string | null
  phone: string | null
  email: string | null
}

type Fund = {
  type_code: string | null
  rate: string | null
  amount_cents: number | null
  taxable_cents: number | null
  vat_rate: string | null
  withheld: boolean
  nature: string | null
  admin_reference: string | null
}

/** SC is a discount, MG a surcharge. */
type Discount = { kind: string | null; percent: string | null; amount: string | null }

type Reference = {
  kind: 'ordine' | 'contratto' | 'convenzione' | 'ricezione' | 'fattura_collegata'
  lines: number[]
  number: string | null
  issued_on: string | null
  item: string | null
  job: string | null
  cup: string | null
  cig: string | null
}

type Transport = {
  carrier: Party | null
  means: string | null
  reason: string | null
  packages: number | null
  description: string | null
  weight_unit: string | null
  gross_weight: string | null
  net_weight: string | null
  collected_at: string | null
  starts_on: string | null
  terms: string | null
  destination: Address | null
  delivered_at: string | null
}

type Corrected = { number: string | null; issued_on: string | null; elements: string | null }

type Line = {
  no: number | null
  kind: string | null
  codes: { kind: string | null; value: string | null }[]
  description: string | null
  quantity: string | null
  unit: string | null
  starts_on: string | null
  ends_on: string | null
  price: string | null
  discounts: Discount[]
  /** With the decimals of the file; a simplified invoice's line includes its tax. */
  total: string | null
  total_cents: number | null
  vat_rate: string | null
  withheld: boolean
  nature: string | null
  admin_reference: string | null
  extras: { kind: string | null; text: string | null; number: string | null; day: string | null }[]
}

type Summary = {
  vat_rate: string | null
  nature: string | null
  extra_costs_cents: number | null
  rounding: string | null
  taxable_cents: number | null
  tax_cents: number | null
  /** Esigibilità: I, D or S. */
  due: string | null
  law: string | null
}

type Installment = {
  no: number
  condition: string | null
  beneficiary: string | null
  method: string | null
  terms_from: string | null
  terms_days: number | null
  due_on: string | null
  /** Whether due_on was counted from terms_from and terms_days. */
  due_by_terms: boolean
  amount_cents: number | null
  post_office: string | null
  receipt_name: string | null
  receipt_tax_code: string | null
  bank: string | null
  iban: string | null
  abi: string | null
  cab: string | null
  bic: string | null
  early_discount_cents: number | null
  early_until: string | null
  late_penalty_cents: number | null
  late_from: string | null
  payment_code: string | null
}

type Attachment = {
  name: string
  compression: string | null
  format: string | null
  description: string | null
  /** Null when the bytes cannot be decoded. */
  size_bytes: number | null
}

type Signature = {
  signer: string | null
  issuer: string | null
  valid_from: string | null
  valid_until: string | null
  signed_at: string | null
  /** True: intact and signed by this certificate. Its issuer is never checked; `note` says all in words. */
  verified: boolean | null
  note: string
}
