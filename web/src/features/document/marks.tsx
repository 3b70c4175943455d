import { clsx } from 'clsx'

import { type Mark, SCALE } from '@/features/document/places'

const percent = (part: number) => `${(part / SCALE) * 100}%`

/** What is marked on a page: every hit quietly, the one that is looked at with a frame. */
export function Marks({ marks }: { marks: Mark[] }) {
  return marks.flatMap(({ tone, boxes }) =>
    boxes.map(([x0, y0, x1, y1]) => (
      <div
        key={`${tone}-${x0}-${y0}-${x1}`}
        aria-hidden
        data-mark={tone}
        className={clsx(
          'pointer-events-none absolute rounded-[2px] mix-blend-multiply',
          tone === 'loud' ? 'bg-[#ffd54a]/60 ring-2 ring-[#c4532f]' : 'bg-[#ffd54a]/50',
        )}
        style={{ left: percent(x0), top: percent(y0), width: percent(x1 - x0), height: percent(y1 - y0) }}
      />
    )),
  )
}
