/** Under this key is all that the cache knows of WhatsApp; apart from its queries, which its screens load. */
export const whatsappKey = (userId: string) => ['whatsapp', userId] as const
