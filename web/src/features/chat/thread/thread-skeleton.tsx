import { Skeleton } from '@/components/ui/skeleton'

/** A question and an answer that are being read. */
export function ThreadSkeleton() {
  return (
    <div aria-busy className="mx-auto grid w-full max-w-3xl flex-1 content-start gap-6 px-4 py-6 sm:px-6">
      <Skeleton className="h-11 w-2/3 justify-self-end" />
      <Skeleton className="h-32" />
    </div>
  )
}
