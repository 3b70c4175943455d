import { queryOptions, useQuery } from '@tanstack/react-query'

import { phoneFormatter } from '@/lib/phone-numbers'

const formatQuery = queryOptions({ queryKey: ['phone-format'], queryFn: phoneFormatter, staleTime: Infinity })

/** A telephone number in the one format of the product, to be called with a tap; until that is loaded, as typed. */
export function PhoneNumber({ value, className }: { value: string; className?: string }) {
  const { data: format } = useQuery(formatQuery)
  const shown = format?.(value)
  if (!shown) return <span className={className}>{value}</span>
  return (
    <a href={shown.href} className={className}>
      {shown.text}
    </a>
  )
}
