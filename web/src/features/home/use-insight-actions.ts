/** What a person does with an insight, each with its toast and the way back. */
import { toast } from 'sonner'

import { tellFailure } from '@/components/save-failure'
import { track } from '@/data/analytics'
import { type Insight, useAnswerInsight, useSwitchInsights } from '@/data/home'
import { useMarkInvoicePaid } from '@/data/invoices'
import { useAddTasks, useChangeTasks } from '@/data/task-changes'
import { taskOf } from '@/features/home/insight-target'
import { addDays, instantOf, romeDay } from '@/lib/rome-time'

const TOAST_MS = 8_000

const failed = () => toast.error('Non siamo riusciti a salvare: riprova')

const count = ({ kind }: Insight) => track('dashboard_insight_action', { insightType: kind })

function told(text: string, description: string, onUndo: () => void): void {
  toast(text, { description, duration: TOAST_MS, action: { label: 'Annulla', onClick: onUndo } })
}

export type InsightActions = ReturnType<typeof useInsightActions>

export function useInsightActions(userId: string) {
  const answer = useAnswerInsight(userId, failed)
  const switchKind = useSwitchInsights(userId, failed)
  const markPaid = useMarkInvoicePaid(userId)
  const addTasks = useAddTasks(userId)
  const changeTasks = useChangeTasks(userId)

  const takeBack = ({ id }: Insight) => answer.mutate({ id, state: 'nuova' })

  return {
    /** The button was pressed, and it leads elsewhere. */
    count,
    /** Something was done about it: it rests. */
    done(insight: Insight) {
      count(insight)
      answer.mutate({ id: insight.id, state: 'fatta' })
    },
    later(insight: Insight, days: number, text: string) {
      count(insight)
      const until = instantOf(`${addDays(romeDay(new Date()), days)}T08:00`)
      answer.mutate({ id: insight.id, state: 'rimandata', until })
      told(`Rimandata ${text}`, insight.title, () => takeBack(insight))
    },
    refuse(insight: Insight, reason: string) {
      count(insight)
      answer.mutate({ id: insight.id, state: 'scartata', reason })
      told('Non te la mostro più', insight.title, () => takeBack(insight))
    },
    hideKind(insight: Insight) {
      count(insight)
      switchKind.mutate({ kind: insight.kind, isEnabled: false })
      told(`«${insight.label}»: tipo nascosto`, 'Lo riaccendi da «Che cosa vedere».', () =>
        switchKind.mutate({ kind: insight.kind, isEnabled: true }),
      )
    },
    paid(insight: Insight) {
      const { entity_id: id } = insight
      if (!id) return
      count(insight)
      markPaid.mutate({ id, paidOn: romeDay(new Date()) }, { onError: failed })
      told('Segnata come pagata oggi', insight.title, () => markPaid.mutate({ id, paidOn: null }))
    },
    async addTask(insight: Insight) {
      const task = { ...taskOf(insight), id: crypto.randomUUID(), due_at: instantOf(addDays(romeDay(new Date()), 1)) }
      count(insight)
      try {
        await addTasks.mutateAsync([task])
      } catch (error) {
        tellFailure(error)
        return
      }
      answer.mutate({ id: insight.id, state: 'fatta' })
      told('Attività per domani', task.title, () => {
        takeBack(insight)
        changeTasks.mutate([{ id: task.id, change: { deleted_at: new Date().toISOString() } }])
      })
    },
  }
}
