/** The periods that people ask for most, as days. */
import { format } from 'date-fns'

type Period = { label: string; from: string; to: string }

const day = (year: number, month: number, date: number) => format(new Date(year, month, date), 'yyyy-MM-dd')

export function presetPeriods(now: Date): Period[] {
  const year = now.getFullYear()
  const month = now.getMonth()
  const quarter = Math.floor(month / 3) * 3
  return [
    { label: 'Questo mese', from: day(year, month, 1), to: day(year, month + 1, 0) },
    { label: 'Il mese scorso', from: day(year, month - 1, 1), to: day(year, month, 0) },
    { label: 'Questo trimestre', from: day(year, quarter, 1), to: day(year, quarter + 3, 0) },
    { label: 'Il trimestre scorso', from: day(year, quarter - 3, 1), to: day(year, quarter, 0) },
    { label: 'Quest’anno', from: day(year, 0, 1), to: day(year, 11, 31) },
    { label: 'L’anno scorso', from: day(year - 1, 0, 1), to: day(year - 1, 11, 31) },
  ]
}
