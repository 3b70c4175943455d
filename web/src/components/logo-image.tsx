import { useQuery } from '@tanstack/react-query'

import { logoQuery } from '@/data/avatars'

/** The logo of the business, as wide as it is; nothing without one. */
export function LogoImage({ address, name }: { address: string | null; name: string }) {
  const { data: source } = useQuery(logoQuery(address))
  return address && source ? (
    <img src={source} alt={`Logo di ${name}`} className="max-h-20 max-w-60 object-contain object-left" />
  ) : null
}
