/** Entry point. */
import './index.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { App } from '@/app/app'
import { watchTheme } from '@/lib/theme'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

watchTheme()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
