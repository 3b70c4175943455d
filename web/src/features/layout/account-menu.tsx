/** The avatar opens the way to the profile and the choice of theme. */
import { MonitorIcon, MoonIcon, SettingsIcon, SunIcon, UserRoundIcon } from 'lucide-react'
import { Link } from 'react-router'

import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { UserAvatar } from '@/components/user-avatar'
import { useAuth } from '@/data/auth-context'
import { initials } from '@/lib/initials'
import { setTheme, type Theme, useTheme } from '@/lib/theme'
import { paths } from '@/paths'
import { themeLabels } from '@/strings/labels'

export function AccountMenu() {
  const { user, profile } = useAuth()
  const theme = useTheme()
  return (
    <DropdownMenu>
      {/* The name starts with what is to be seen, for people who speak to their computer. */}
      <DropdownMenuTrigger
        aria-label={`${initials(profile?.full_name)}, il tuo account`}
        className="grid size-11 place-items-center rounded-full"
      >
        <UserAvatar name={profile?.full_name} imageUrl={profile?.avatar_url} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" className="max-w-(--radix-dropdown-menu-content-available-width)">
        <div className="px-3 py-2 text-sm">
          <p className="truncate font-semibold">{profile?.full_name}</p>
          <p className="truncate text-muted-foreground">{user?.email}</p>
        </div>
        <DropdownMenuSeparator />
        <DropdownMenuItem asChild>
          <Link to={paths.settingsProfile}>
            <UserRoundIcon /> Profilo
          </Link>
        </DropdownMenuItem>
        <DropdownMenuItem asChild>
          <Link to={paths.settings}>
            <SettingsIcon /> Impostazioni
          </Link>
        </DropdownMenuItem>
        <DropdownMenuSeparator />
        <DropdownMenuLabel>Tema</DropdownMenuLabel>
        <DropdownMenuRadioGroup value={theme} onValueChange={(value) => setTheme(value as Theme)}>
          <DropdownMenuRadioItem value="light">
            <SunIcon /> {themeLabels.light}
          </DropdownMenuRadioItem>
          <DropdownMenuRadioItem value="dark">
            <MoonIcon /> {themeLabels.dark}
          </DropdownMenuRadioItem>
          <DropdownMenuRadioItem value="system">
            <MonitorIcon /> {themeLabels.system}
          </DropdownMenuRadioItem>
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
