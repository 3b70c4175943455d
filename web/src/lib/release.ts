/** The build that this page runs: the hash in the name of its entry, which any change of the code changes. */
export function release(): string {
  const { src = '' } = document.querySelector<HTMLScriptElement>('script[type=module][src]') ?? {}
  return /-([\w-]{8})\.js$/.exec(src)?.[1] ?? 'dev'
}
