/** Ready-made templates of mails, to start from: a person gets a copy of the one that they choose. */
import type { TemplateText } from '@/data/mail-templates'

const bye = 'Un cordiale saluto\n{{mio nome}}'

export const mailStarters: TemplateText[] = [
  {
    name: 'Primo contatto',
    subject: 'Come posso esserle utile',
    body: `Buongiorno {{nome}},\n\nsono {{mio nome}} e mi occupo di [che cosa fai…]. Le scrivo perché [il motivo…].\n\nSe le va, ne parliamo in una telefonata di un quarto d’ora: quando le fa comodo?\n\n${bye}`,
  },
  {
    name: 'Invio preventivo',
    subject: 'Preventivo: {{trattativa}}',
    body: `Buongiorno {{nome}},\n\ncome d’accordo le invio il preventivo per «{{trattativa}}»: {{valore trattativa}} in tutto.\n\nComprende [che cosa è compreso…]. La proposta vale fino al [data…].\n\nSe qualcosa non è chiaro o va cambiato, mi scriva: lo sistemiamo insieme.\n\n${bye}`,
  },
  {
    name: 'Sollecito gentile',
    subject: 'Promemoria: fattura {{numero fattura}}',
    body: `Buongiorno,\n\nle ricordo la fattura n. {{numero fattura}} del {{data fattura}}: restano da pagare {{importo da pagare}}, con scadenza {{scadenza fattura}}.\n\nSe il pagamento è già partito, non tenga conto di questo messaggio. Altrimenti mi fa sapere quando pensa di poterla saldare?\n\n${bye}`,
  },
  {
    name: 'Richiesta documenti',
    subject: 'Documenti che mi servono per [la pratica…]',
    body: `Buongiorno {{nome}},\n\nper andare avanti con [la pratica…] mi servono:\n\n- [primo documento…]\n- [secondo documento…]\n\nPuò rispondere a questa email e allegarli. Se arrivano entro [data…], rispettiamo i tempi.\n\n${bye}`,
  },
  {
    name: 'Ringraziamento',
    subject: 'Grazie, {{nome}}',
    body: `Buongiorno {{nome}},\n\ngrazie per la fiducia: è stato un piacere lavorare insieme.\n\nSe c’è qualcosa che avrei potuto fare meglio, me lo dica: mi è di aiuto.\n\n${bye}`,
  },
]
