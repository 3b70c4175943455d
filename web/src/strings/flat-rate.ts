/** The words of the regime forfettario. */

/** The kinds of activity of annex 4 of L. 190/2014, by the name of their figure, the most frequent first. */
export const flatRateActivities: readonly (readonly [string, string])[] = [
  ['redditivita_professioni', 'Attività professionali, scientifiche, tecniche, sanitarie, di istruzione e finanziarie'],
  ['redditivita_altre', 'Altre attività: informatica, artigianato, trasporti, servizi'],
  ['redditivita_commercio', 'Commercio all’ingrosso e al dettaglio'],
  ['redditivita_intermediari', 'Intermediari del commercio, agenti'],
  ['redditivita_ristorazione', 'Alloggio e ristorazione'],
  ['redditivita_costruzioni', 'Costruzioni e attività immobiliari'],
  ['redditivita_alimentari', 'Industrie alimentari e delle bevande'],
  ['redditivita_ambulanti', 'Commercio ambulante non alimentare'],
]

/** The divisions and groups of ATECO of each kind, as public.tax_parameters names them; what is in none is the last. */
const kinds: readonly (readonly [string, RegExp])[] = [
  ['redditivita_professioni', /^(6[4-6]|69|7[0-5]|8[5-8])/],
  ['redditivita_ambulanti', /^47\.8[2-9]/],
  ['redditivita_intermediari', /^46\.1/],
  ['redditivita_commercio', /^(45|46|47)/],
  ['redditivita_ristorazione', /^5[56]/],
  ['redditivita_costruzioni', /^(4[1-3]|68)/],
  ['redditivita_alimentari', /^1[01]/],
]

/** The kind of activity that an ATECO code («74.12.01») belongs to. */
export const activityOfAteco = (ateco: string): string =>
  kinds.find(([, codes]) => codes.test(ateco))?.[0] ?? 'redditivita_altre'
