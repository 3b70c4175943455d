import { matchRoutes } from 'react-router'

import { routes } from '@/routes'

/** The pattern of the route at this address (`/crm/:contactId`), without ids; `*` when none is there. */
export const routePattern = (pathname: string): string => matchRoutes(routes, pathname)?.at(-1)?.route.path ?? '*'
