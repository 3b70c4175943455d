/**
 * The files that invoicing programs write, known by their titles. Columns that only such a file calls so are named here; all
 * others are understood by the synonyms of contact-csv-columns.ts.
 *
 * Where the titles are from: Fatture in Cloud, the heading of an export in the tests of a public program that reads them;
 * Aruba, the fields that its guide lists for files of clients (guide.pec.it, «Importazione massiva di clienti»); TeamSystem,
 * the columns that the help of Reviso, now Contabilità in Cloud, lists (help.reviso.com, «Importare clienti»). Aruba and
 * TeamSystem describe the file that they take, which is the one that people have.
 */
import type { ContactField } from '@/lib/contact-csv-columns'
import { fold } from '@/lib/fold'

type KnownExport = {
  name: string
  /** All of them are among the titles. */
  signs: readonly string[]
  /** By title; null is left out. */
  columns: Readonly<Record<string, ContactField | null>>
}

const known: readonly KnownExport[] = [
  {
    name: 'Fatture in Cloud',
    signs: ['denominazione', 'indirizzo e mail', 'referente', 'p iva tax id'],
    columns: { referente: 'full_name' },
  },
  {
    name: 'Aruba Fatturazione Elettronica',
    signs: ['tipo cliente', 'indirizzo telematico', 'id paese', 'denominazione'],
    columns: { 'indirizzo telematico': 'sdi_or_pec', 'id paese': null, 'tipo cliente': null },
  },
  {
    name: 'TeamSystem Contabilità in Cloud',
    signs: ['n cliente', 'gruppo clienti', 'nome', 'indir 1'],
    // Provinces are numbers of a list that only the program has.
    columns: { nome: 'business_name', 'indir 1': 'street', provincia: null, 'ns referente': null },
  },
]

/** A title without accents, capitals, signs and what stands in brackets: «Città (uff.)» becomes «citta». */
const shortTitle = (title: string): string => plainTitle(title.replaceAll(/\([^)]*\)/g, ' '))

/** A title without accents, capitals and signs: «Città (uff.)» becomes «citta uff». */
export function plainTitle(title: string): string {
  return fold(title)
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
}

/** The program that wrote a file with these titles; null when it is none that we know. */
export function knownExport(header: readonly string[]): Pick<KnownExport, 'name'> | null {
  const titles = new Set(header.map(shortTitle))
  return known.find(({ signs }) => signs.every((sign) => titles.has(sign))) ?? null
}

/** What a known program means by a title; undefined when the title says it itself. */
export function columnOf(program: Pick<KnownExport, 'name'> | null, title: string): ContactField | null | undefined {
  return known.find(({ name }) => name === program?.name)?.columns[shortTitle(title)]
}
