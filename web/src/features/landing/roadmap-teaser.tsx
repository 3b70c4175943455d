import { ArrowRightIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { useCatalog } from '@/data/catalog'
import { Section } from '@/features/landing/section'
import { paths } from '@/paths'

const steps = [
  {
    title: 'Cinque agenti',
    text: 'Logico, creativo, strategico, etico ed esecutore: ciascuno con la sua voce, un verbale che puoi rileggere.',
  },
  {
    title: 'Autonomia con supervisione',
    text: 'Obiettivi che Socio porta avanti passo per passo, entro i limiti che gli dai tu.',
  },
  {
    title: 'Centro di comando',
    text: 'Una schermata sola per vedere che cosa sta facendo ogni agente, quanto costa e fermarlo.',
  },
]

/** The roadmap of 2026 in short. */
export function RoadmapTeaser() {
  const { claims } = useCatalog()
  return (
    <Section
      id="verso-dove"
      title="Verso dove andiamo nel 2026"
      intro="La roadmap è pubblica: anche i ritardi ci stanno scritti."
      raised
    >
      <ol className="grid gap-8 lg:grid-cols-3 lg:gap-10">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="border-t-2 border-primary pt-4">
            <p aria-hidden className="text-sm text-muted-foreground tabular">
              {index + 1}
            </p>
            <h3 className="mt-1 text-xl font-semibold">{title}</h3>
            <p className="mt-2 text-pretty text-muted-foreground">{text}</p>
          </li>
        ))}
      </ol>
      <p className="mt-10 text-sm text-pretty text-muted-foreground">
        {claims['mobile.date'].text}: la beta è in ritardo, la data nuova la scriviamo quando la sappiamo.
      </p>
      <Button variant="outline" asChild className="mt-5">
        <Link to={paths.roadmap}>
          Leggi la roadmap
          <ArrowRightIcon aria-hidden />
        </Link>
      </Button>
    </Section>
  )
}
