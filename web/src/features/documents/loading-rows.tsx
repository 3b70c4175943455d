import { Skeleton } from '@/components/ui/skeleton'

/** The shape of the list before it is there. */
export function LoadingRows() {
  return (
    <div aria-busy className="divide-y rounded-md border bg-card">
      {['a', 'b', 'c', 'd'].map((key) => (
        <div key={key} className="flex items-center gap-4 p-4">
          <Skeleton className="size-6" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-4 w-1/4" />
          </div>
          <Skeleton className="hidden h-4 w-24 lg:block" />
          <Skeleton className="hidden h-4 w-20 lg:block" />
        </div>
      ))}
    </div>
  )
}
