/** In which order the list stands. */
import { Select } from '@/components/ui/select'
import type { ContactOrder } from '@/data/contacts'

const orders: Record<ContactOrder, string> = {
  name: 'Per nome',
  next_touch_at: 'Da risentire prima',
  last_interaction_at: 'Sentiti di recente',
  owed_cents: 'Chi ti deve di più',
}

type Props = { order: ContactOrder; onChange: (order: ContactOrder) => void }

export function OrderChoice({ order, onChange }: Props) {
  return (
    <Select
      aria-label="Ordine"
      value={order}
      onChange={({ target }) => onChange(target.value as ContactOrder)}
      className="w-auto text-sm max-sm:w-full"
    >
      {Object.entries(orders).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  )
}
