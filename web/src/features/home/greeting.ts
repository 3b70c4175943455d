/** How /home greets. */

/** When the greeting is another one, and at midnight the day. */
const TURNS = [5, 13, 18, 24]

/** How many milliseconds after `now` the header says something else. */
export function untilNextGreeting(now: number): number {
  const turns = TURNS.map((hour) => new Date(now).setHours(hour, 0, 0, 0))
  return Math.min(...turns.filter((turn) => turn > now)) - now
}

/** The word for the hour: good morning until 13, good afternoon until 18, then good evening. */
function greetingWord(hour: number): string {
  if (hour >= 5 && hour < 13) return 'Buongiorno'
  if (hour >= 13 && hour < 18) return 'Buon pomeriggio'
  return 'Buonasera'
}

/** «Buongiorno, Giulia», or the bare word for somebody without a name. */
export function greeting(fullName: string | null | undefined, now: Date): string {
  const firstName = fullName?.trim().split(/\s+/)[0]
  const word = greetingWord(now.getHours())
  return firstName ? `${word}, ${firstName}` : word
}
