/**
 * The processes of the running stack, found by what they are, so that a test can kill one as a crash would.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

type Part = 'postgres' | 'postgrest' | 'backend' | 'worker'

/** The home folder of the stack tells its processes from those of any other. */
const home = dirname(process.env.SOCIO_RUN_JSON ?? '')

const commands: Record<Part, RegExp> = {
  postgres: /\/postgres -D/,
  postgrest: /\/postgrest$/,
  backend: /-m backend serve /,
  worker: /-m backend worker$/,
}

/** One file of /proc; empty when the process is gone or somebody else's. */
function read(pid: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function find(part: Part): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commands[part].test(read(pid, 'cmdline').replaceAll('\0', ' ').trim()))
    .filter((pid) => read(pid, 'environ').split('\0').includes(`SOCIO_HOME=${home}`))
}

/** Ends one part of the stack without any warning to it. */
export function killPart(part: Part): void {
  const found = find(part)
  if (found.length !== 1) throw new Error(`${found.length} processes of ${part} found`)
  process.kill(Number(found[0]), 'SIGKILL')
}
