import { renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import built from '@/data/catalog.gen.json'

const fetched = vi.fn<typeof fetch>()

async function freshModule() {
  vi.resetModules()
  return await import('@/data/catalog')
}

beforeEach(() => {
  fetched.mockReset()
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => vi.unstubAllGlobals())

describe('useCatalog', () => {
  test('starts from the edition of the build and follows a newer one of the server', async () => {
    const packs = built.packs.map((pack) => ({ ...pack, price_cents: pack.price_cents + 100 }))
    fetched.mockResolvedValue(Response.json({ ...built, version: built.version + 1, packs, claims: {} }))
    const { useCatalog } = await freshModule()
    const { result } = renderHook(useCatalog)
    expect(result.current.version).toBe(built.version)
    await waitFor(() => expect(result.current.version).toBe(built.version + 1))
    expect(result.current.packs[0]?.price_cents).toBe(1099)
    expect(result.current.claims['discount.pro'].text).toBe('20% di sconto')
  })

  test('asks once however many components read it, and changes nothing for the same edition', async () => {
    fetched.mockImplementation(() => Promise.resolve(Response.json(built)))
    const { useCatalog } = await freshModule()
    const first = renderHook(useCatalog)
    const before = first.result.current
    renderHook(useCatalog)
    await waitFor(() => expect(fetched).toHaveBeenCalledOnce())
    expect(first.result.current).toBe(before)
    expect(String(fetched.mock.calls[0]?.[0])).toMatch(/\/rest\/v1\/rpc\/catalog$/)
  })

  test.each([
    ['the network is away', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the server fails', () => Promise.resolve(new Response(null, { status: 503 }))],
    ['the answer is no catalogue', () => Promise.resolve(new Response('<html>'))],
  ])('keeps the edition of the build when %s', async (_, answer) => {
    fetched.mockImplementation(answer)
    const { useCatalog } = await freshModule()
    const { result } = renderHook(useCatalog)
    await waitFor(() => expect(fetched).toHaveBeenCalledOnce())
    expect(result.current.version).toBe(built.version)
  })
})
