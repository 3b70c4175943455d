/** Italian names of the tax regimes, in the order in which a form offers them. */
import type { Enums } from '@/data/tables'

type TaxRegime = Enums<'tax_regime'>

export const taxRegimes: Record<TaxRegime, string> = {
  forfettario: 'Forfettario',
  semplificato: 'Semplificato',
  ordinario: 'Ordinario',
  altro: 'Altro',
}
