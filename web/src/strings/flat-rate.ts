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
