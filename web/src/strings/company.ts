/** Who is behind Socio: what the law wants on every page of a company, and where people write to. */
export const company = {
  name: 'Socio S.r.l.',
  street: 'Via dei Mestieri 12',
  city: 'Bologna',
  province: 'BO',
  postcode: '40121',
  vatNumber: '01234567890',
  shareCapital: '10.000 €',
  email: 'ciao@socio.example',
  privacyEmail: 'privacy@socio.example',
  certifiedEmail: 'socio@pec.socio.example',
} as const

/** Of the terms, the privacy policy and the cookie policy. */
export const legalVersion = { number: '2.0', date: '2025-11-03', day: '3 novembre 2025' } as const

/** The company's profiles elsewhere: the footer lists those that exist. */
export const socialProfiles: readonly { name: string; url: string }[] = []

export const companyAddress = `${company.street}, ${company.postcode} ${company.city} (${company.province})`
