/** /settings/memory: what Socio knows, where from, and every way to correct or end it (MEM-07). */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { memoriesQuery } from '@/data/memories'
import { MemoryForm } from '@/features/memory/memory-form'
import { MemoryList } from '@/features/memory/memory-list'
import { Proposals } from '@/features/memory/proposals'
import { SwitchesCard } from '@/features/memory/switches-card'
import { WholeMemory } from '@/features/memory/whole-memory'
import { SettingsScreen } from '@/components/settings-screen'

export default function MemoryPage() {
  const { id: userId } = useUser()
  const { data: memories, isPending, refetch } = useQuery(memoriesQuery(userId))
  return (
    <SettingsScreen title="Memoria">
      <p className="-mt-4 text-sm text-pretty text-muted-foreground">
        Socio usa solo i ricordi che vedi qui. Leggerli, correggerli e cancellarli non costa crediti.
      </p>
      <SwitchesCard userId={userId} />
      <MemoryForm userId={userId} memories={memories ?? []} />
      {isPending && <Skeleton aria-busy className="h-40" />}
      {!isPending && !memories && (
        <LoadError text="Non riusciamo a leggere la memoria in questo momento." onRetry={() => void refetch()} />
      )}
      {memories && (
        <>
          <Proposals userId={userId} memories={memories} />
          <MemoryList userId={userId} memories={memories.filter(({ state }) => state !== 'proposta')} />
          <WholeMemory userId={userId} memories={memories} />
        </>
      )}
    </SettingsScreen>
  )
}
