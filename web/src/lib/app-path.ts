/** Tells the screens of signed-in people from public pages, by their address. */
import { paths } from '@/paths'

const screens = new Set(
  [
    paths.home,
    paths.chat,
    paths.crm,
    paths.documents,
    paths.settings,
    paths.notifications,
    paths.tasks,
    paths.projects,
    paths.share,
    paths.onboarding,
    paths.admin,
  ].map((path) => path.slice(1)),
)

export const isAppPath = (pathname: string): boolean => screens.has(pathname.split('/', 2)[1] ?? '')
