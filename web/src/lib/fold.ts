/** Lower case, without accents, with straight apostrophes; as `fold` in functions/_shared/names.py. */
export function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll('’', "'")
}
