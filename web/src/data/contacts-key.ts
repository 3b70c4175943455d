/** Where the cache keeps what the CRM shows; apart from the queries, which bring zod with them. */

/** Contacts with all that hangs on them: whatever changes one may change a list, a tag, a story. */
export const contactsKey = ['contacts'] as const
