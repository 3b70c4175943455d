/** The claims of the legal pages: a file of its own, which the shop does not load. */
import { type Claim, type ClaimKey, useCatalog } from '@/data/catalog'
import built from '@/data/legal-claims.gen.json'

export type LegalClaims = Record<ClaimKey | keyof typeof built, Claim>

/** All claims: those of the catalogue in force, and of the build what the server has not said yet. */
export const useLegalClaims = (): LegalClaims => ({ ...built, ...useCatalog().claims })
