/** What an application may see of somebody, scope by scope (LOGIN-26). */
const sentences: Record<string, string> = {
  openid: 'Riconoscerti quando torni',
  email: 'Vedere il tuo indirizzo email',
  profile: 'Vedere il tuo nome e la tua foto',
  phone: 'Vedere il tuo numero di telefono',
}

/** A scope as people read it; an unknown one by its name, so that nothing is hidden. */
export const scopeSentence = (scope: string): string => sentences[scope] ?? `Altro permesso: ${scope}`
