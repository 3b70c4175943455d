/** zod without its compiler: our Content-Security-Policy refuses `new Function`, and reports even the attempt. */
import { z } from 'zod'

z.config({ jitless: true })

export { z }
