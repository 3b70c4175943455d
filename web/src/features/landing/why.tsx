import { useCatalog } from '@/data/catalog'
import { Section } from '@/features/landing/section'

const paragraphs = [
  'Perché da soli si perdono lavori senza nemmeno accorgersene. Il preventivo che nessuno ha richiamato, la fattura scaduta da dodici giorni, il messaggio letto in coda alla posta e mai più ritrovato.',
  'Non è disordine. È che l’assistente non conosce i tuoi clienti, gli appunti non conoscono le scadenze e il CRM non conosce le tue email: paghi tre abbonamenti e il filo lo tieni tu, a mano.',
  'Socio nasce per tenere quel filo. Ricorda quello che gli racconti, lo collega a clienti e documenti, e quando non sa qualcosa te lo dice.',
]

/** 'Why I am telling you this'. */
export function Why() {
  const { claims } = useCatalog()
  return (
    <Section id="perche" title="Perché te lo sto dicendo" raised>
      <div className="grid gap-3 text-pretty max-sm:text-sm sm:text-xl lg:grid-cols-3 lg:gap-10">
        {paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      <p className="mt-4 border-t pt-3 text-sm sm:mt-6 sm:pt-4 text-muted-foreground">
        {claims['beta.users'].text}: ogni settimana leggiamo che cosa manca e lo scriviamo nella roadmap.
      </p>
    </Section>
  )
}
