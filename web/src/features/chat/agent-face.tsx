/** The face of each agent: a sign in its colour, so that its label is known at a glance. */
import {
  CalculatorIcon,
  CompassIcon,
  HammerIcon,
  LightbulbIcon,
  type LucideIcon,
  ScaleIcon,
  SparklesIcon,
  UsersRoundIcon,
} from 'lucide-react'

import type { AgentChoice } from '@/data/chat'
import { cn } from '@/lib/cn'

const faces: Record<AgentChoice, { icon: LucideIcon; look: string }> = {
  automatico: { icon: SparklesIcon, look: 'bg-secondary text-secondary-foreground' },
  logico: { icon: CalculatorIcon, look: 'bg-info/12 text-info' },
  creativo: { icon: LightbulbIcon, look: 'bg-warning-tint text-foreground' },
  strategico: { icon: CompassIcon, look: 'bg-secondary text-secondary-foreground' },
  etico: { icon: ScaleIcon, look: 'bg-success/12 text-success' },
  esecutore: { icon: HammerIcon, look: 'bg-terracotta/12 text-terracotta' },
  consiglio: { icon: UsersRoundIcon, look: 'bg-muted text-foreground' },
}

export function AgentFace({ agent, className }: { agent: AgentChoice; className?: string }) {
  const { icon: Icon, look } = faces[agent]
  return (
    <span aria-hidden className={cn('grid size-7 shrink-0 place-items-center rounded-full', look, className)}>
      <Icon className="size-4" />
    </span>
  )
}
