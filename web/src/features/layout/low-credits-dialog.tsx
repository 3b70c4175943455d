import { useEffect } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { paths } from '@/paths'
import { formatCredits } from '@/strings/numbers'

type Props = { balance: number; onShown: () => void; onClose: () => void }

export default function LowCreditsDialog({ balance, onShown, onClose }: Props) {
  useEffect(onShown, [onShown])
  const left = balance === 1 ? 'Ti resta solo 1 credito.' : `Ti restano solo ${formatCredits(balance)} crediti.`
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Crediti Insufficienti</DialogTitle>
          <DialogDescription>{left} Ricarica per continuare a usare le funzioni IA.</DialogDescription>
        </DialogHeader>
        <DialogFooter>
          <Button variant="outline" onClick={onClose}>
            Più Tardi
          </Button>
          <Button asChild>
            <Link to={paths.pricing} onClick={onClose}>
              Ricarica Crediti
            </Link>
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
