import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { NotificationDot } from '@/components/notification-dot'
import { notificationTypes } from '@/strings/labels'

test.each([
  ['success', 'success'],
  ['warning', 'warning'],
  ['error', 'error'],
  ['info', 'info'],
  ['something else', 'info'],
] as const)('a notification of the type «%s» has the colour of «%s»', (type, colour) => {
  render(<NotificationDot type={type} />)
  expect(screen.getByText(notificationTypes[colour]).parentElement?.className).toContain(`bg-${colour}`)
})
