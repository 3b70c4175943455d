/** How fast something goes: smooth enough to be read, quick enough to be true. */

const TICK_MS = 500
const WEIGHT = 0.3

export class Speedometer {
  #last: { units: number; ms: number } | null = null
  #perSecond: number | null = null

  /** Units per second when `units` are done at `ms`; null until there is something to compare. */
  at(units: number, ms: number): number | null {
    // Fewer than before: it begins anew from there.
    if (!this.#last || units < this.#last.units) {
      this.#last = { units, ms }
      return this.#perSecond
    }
    const elapsed = ms - this.#last.ms
    if (elapsed < TICK_MS) return this.#perSecond
    const now = ((units - this.#last.units) / elapsed) * 1000
    this.#perSecond = this.#perSecond === null ? now : this.#perSecond + WEIGHT * (now - this.#perSecond)
    this.#last = { units, ms }
    return this.#perSecond
  }
}
