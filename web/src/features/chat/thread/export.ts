/** A conversation as a file in Markdown: what is on the screen, with the names of what was cited. */
import type { Message } from '@/data/chat'
import { fold } from '@/lib/fold'
import { AI_NOTICE, agentNames } from '@/strings/chat'
import { fullDate } from '@/strings/dates'

export function markdownOf(title: string, messages: readonly Message[]): string {
  const parts = messages.map((message) => `## ${headingOf(message)}\n\n${bodyOf(message)}`)
  return [`# ${title}`, ...parts, `_${AI_NOTICE}_`].join('\n\n') + '\n'
}

function headingOf({ role, agent, created_at: at }: Message): string {
  const who = role === 'user' ? 'Tu' : agent && agent !== 'automatico' ? agentNames[agent] : 'Socio'
  return `${who}, ${fullDate(at)}`
}

function bodyOf({ content, refs }: Message): string {
  const cited = refs.filter(({ n }) => content.includes(`[^${n}]`))
  return [content, ...cited.map(({ n, label }) => `[^${n}]: ${label}`)].join('\n\n')
}

/** «preventivo-rossi.md», of the title. */
export function fileNameOf(title: string): string {
  const name = fold(title)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${name.slice(0, 60) || 'conversazione'}.md`
}
