/** Which contacts the list shows, kept in the address so that it can be shared and gone back to. */
import { useSearchParams } from 'react-router'

import type { ContactOrder, ContactWish } from '@/data/contacts'
import { filterIn } from '@/data/contacts-filter'

const orders: Record<string, ContactOrder> = {
  prossimo: 'next_touch_at',
  recente: 'last_interaction_at',
  debito: 'owed_cents',
}

type Change = Partial<Omit<ContactWish, 'type'>>

export function useWish() {
  const [params, setParams] = useSearchParams()
  const wish: ContactWish = {
    type: params.get('vista') === 'aziende' ? 'azienda' : 'persona',
    filter: filterIn(params.get('filtro')),
    order: orders[params.get('ordine') ?? ''] ?? 'name',
    text: params.get('q') ?? '',
  }

  function change({ filter = wish.filter, order = wish.order, text = wish.text }: Change) {
    const next = {
      vista: wish.type === 'azienda' ? 'aziende' : '',
      filtro: filter.all.length > 0 ? JSON.stringify(filter) : '',
      ordine: Object.entries(orders).find(([, one]) => one === order)?.[0] ?? '',
      q: text,
    }
    setParams(Object.fromEntries(Object.entries(next).filter(([, value]) => value)), { replace: true })
  }

  return { wish, isTrash: params.has('cestino'), change }
}
