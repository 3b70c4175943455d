/** How /home greets. */

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
