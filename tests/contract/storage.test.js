/**
 * supabase-js against the running stack: every method of the storage client, in the product's private bucket.
 * Started beside a stack: `python -m scripts.stack -- node --test tests/contract/storage.test.js`.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { createClient } from '@supabase/supabase-js'
import { covered, publicMethods, works } from './auth/methods.js'
import { answered, newClient, person, run } from './auth/stack.js'

const server = createClient(run.url, run.secret_key, { auth: { persistSession: false } })
const PDF = Buffer.from('%PDF-1.7 prova')
const pdf = { contentType: 'application/pdf' }

let anna, bruno, files
before(async () => {
  ;[anna, bruno] = [await person(), await person()]
  files = anna.client.storage.from('documents')
})
const mine = (name = randomUUID()) => `${anna.id}/${name}`

async function uploaded(name = mine()) {
  answered(await files.upload(name, PDF, pdf))
  return name
}

function refused({ data, error }, statusCode, message) {
  assert.equal(data, null)
  assert.deepEqual(
    { name: error.name, statusCode: error.statusCode, message: error.message },
    { name: 'StorageApiError', statusCode, message },
  )
}

works('storage.from.upload', () => {
  test('a buffer, a blob, a form and an array buffer arrive', async () => {
    const form = new FormData()
    form.append('', new Blob([PDF], { type: 'application/pdf' }))
    const bytes = new Uint8Array(PDF).buffer
    for (const body of [PDF, new Blob([PDF], { type: 'application/pdf' }), form, bytes]) {
      const name = mine()
      const made = answered(await files.upload(name, body, { ...pdf, metadata: { n: '1' }, cacheControl: '60' }))
      assert.deepEqual({ path: made.path, fullPath: made.fullPath }, { path: name, fullPath: `documents/${name}` })
      assert.ok(made.id)
      assert.equal(await answered(await files.download(name)).text(), PDF.toString())
    }
  })

  test('a form as React Native sends it arrives: the file, then what is said about it, then another file', async () => {
    const [name, form] = [mine(), new FormData()]
    form.append('', new Blob([PDF], { type: 'application/pdf' }), 'a.pdf')
    form.append('cacheControl', '60')
    form.append('metadata', JSON.stringify({ from: 'phone' }))
    form.append('other', new Blob(['another']), 'b.txt')
    const { session } = answered(await anna.client.auth.getSession())
    const headers = { apikey: run.publishable_key, authorization: `Bearer ${session.access_token}` }
    const address = `${run.url}/storage/v1/object/documents/${name}`
    const answer = await fetch(address, { method: 'POST', headers, body: form })
    assert.equal(answer.status, 200, await answer.text())
    const info = answered(await files.info(name))
    assert.deepEqual([info.cacheControl, info.metadata], ['max-age=60', { from: 'phone' }])
    assert.equal(await answered(await files.download(name)).text(), PDF.toString())
  })

  test('a second one is a duplicate, an upsert is not', async () => {
    const name = await uploaded()
    refused(await files.upload(name, PDF, pdf), '409', 'The resource already exists')
    answered(await files.upload(name, Buffer.from('%PDF-2'), { ...pdf, upsert: true }))
    assert.equal(await answered(await files.download(name)).text(), '%PDF-2')
  })

  test('a stranger, a foreign type and an unknown bucket are refused', async () => {
    const denied = 'new row violates row-level security policy'
    refused(await bruno.client.storage.from('documents').upload(mine(), PDF, pdf), '403', denied)
    const page = await files.upload(mine(), Buffer.from('x'), { contentType: 'text/html' })
    refused(page, '415', 'mime type text/html is not supported')
    refused(await anna.client.storage.from('nowhere').upload(mine(), PDF, pdf), '404', 'Bucket not found')
  })
})

works('storage.from.update', () => {
  test('new content takes the place of the old', async () => {
    const name = await uploaded()
    answered(await files.update(name, Buffer.from('%PDF-2'), pdf))
    assert.equal(await answered(await files.download(name)).text(), '%PDF-2')
  })
})

works('storage.from.download', () => {
  test('the owner gets the bytes, as a stream too, a stranger nothing', async () => {
    const name = await uploaded()
    const blob = answered(await files.download(name))
    assert.deepEqual({ type: blob.type, text: await blob.text() }, { type: 'application/pdf', text: PDF.toString() })
    const stream = answered(await files.download(name).asStream())
    assert.equal(await new Response(stream).text(), PDF.toString())
    const { error } = await bruno.client.storage.from('documents').download(name)
    assert.ok(error)
  })
})

works('storage.from.info', () => {
  test('tells what is there', async () => {
    const name = mine()
    answered(await files.upload(name, PDF, { ...pdf, metadata: { chi: 'Società' } }))
    const info = answered(await files.info(name))
    assert.equal(info.size, PDF.length)
    assert.equal(info.contentType, 'application/pdf')
    assert.deepEqual(info.metadata, { chi: 'Società' })
  })
})

works('storage.from.exists', () => {
  test('yes and no', async () => {
    assert.equal((await files.exists(await uploaded())).data, true)
    assert.equal((await files.exists(mine())).data, false)
  })
})

works('storage.from.createSignedUrl', () => {
  test('opens for a while without a token', async () => {
    const name = await uploaded(mine('con spazi è.pdf'))
    const { signedUrl } = answered(await files.createSignedUrl(name, 60, { download: 'nome.pdf' }))
    const response = await fetch(signedUrl)
    assert.equal(await response.text(), PDF.toString())
    assert.match(response.headers.get('content-disposition'), /attachment; filename="nome.pdf"/)
    refused(await files.createSignedUrl(mine(), 60), '404', 'Object not found')
  })
})

works('storage.from.createSignedUrls', () => {
  test('many at once, each with its error', async () => {
    const [there, missing] = [await uploaded(), mine()]
    const found = answered(await files.createSignedUrls([there, missing], 60))
    assert.equal(await (await fetch(found[0].signedUrl)).text(), PDF.toString())
    assert.deepEqual([found[0].error, found[1].signedUrl], [null, null])
    assert.ok(found[1].error)
  })
})

works('storage.from.createSignedUploadUrl', () => {
  test('answers a token and an address', async () => {
    const name = mine()
    const made = answered(await files.createSignedUploadUrl(name))
    assert.equal(made.path, name)
    assert.ok(made.token && made.signedUrl.startsWith(run.url))
  })
})

works('storage.from.uploadToSignedUrl', () => {
  test('needs no token of the sender', async () => {
    const name = mine()
    const { token } = answered(await files.createSignedUploadUrl(name))
    const guest = newClient().storage.from('documents')
    assert.equal(answered(await guest.uploadToSignedUrl(name, token, PDF, pdf)).path, name)
    assert.equal(await answered(await files.download(name)).text(), PDF.toString())
    const other = await guest.uploadToSignedUrl(mine(), token, PDF, pdf)
    refused(other, '400', 'Invalid signature')
  })
})

works('storage.from.getPublicUrl', () => {
  test('an address, which a private bucket does not open', async () => {
    const { publicUrl } = files.getPublicUrl(await uploaded()).data
    assert.equal((await (await fetch(publicUrl)).json()).message, 'Bucket not found')
  })
})

works('storage.from.list', () => {
  test('a folder, sorted, with a search', async () => {
    const folder = randomUUID()
    for (const name of ['b.pdf', 'a.pdf', 'sub/c.pdf']) await uploaded(mine(`${folder}/${name}`))
    const options = { sortBy: { column: 'name', order: 'asc' } }
    const rows = answered(await files.list(mine(folder), options))
    assert.deepEqual(
      rows.map((row) => [row.name, row.id === null]),
      [
        ['sub', true],
        ['a.pdf', false],
        ['b.pdf', false],
      ],
    )
    const found = answered(await files.list(mine(folder), { search: 'b' }))
    assert.deepEqual(
      found.map((row) => row.name),
      ['b.pdf'],
    )
  })
})

works('storage.from.listV2', () => {
  test('pages by cursor', async () => {
    const folder = randomUUID()
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf']) await uploaded(mine(`${folder}/${name}`))
    const first = answered(await files.listV2({ prefix: `${mine(folder)}/`, limit: 2 }))
    assert.deepEqual([first.hasNext, first.objects.length], [true, 2])
    const next = answered(await files.listV2({ prefix: `${mine(folder)}/`, limit: 2, cursor: first.nextCursor }))
    assert.deepEqual([next.hasNext, next.objects.map((row) => row.name)], [false, [`${mine(folder)}/c.pdf`]])
  })
})

works('storage.from.move', () => {
  test('the object is at the new place only', async () => {
    const [from, to] = [await uploaded(), mine()]
    assert.equal(answered(await files.move(from, to)).message, 'Successfully moved')
    assert.equal((await files.exists(from)).data, false)
    assert.equal((await files.exists(to)).data, true)
  })
})

works('storage.from.copy', () => {
  test('the object is at both places', async () => {
    const [from, to] = [await uploaded(), mine()]
    assert.equal(answered(await files.copy(from, to)).path, `documents/${to}`)
    for (const name of [from, to]) assert.equal((await files.exists(name)).data, true)
  })
})

works('storage.from.remove', () => {
  test('answers what is gone; a stranger removes nothing', async () => {
    const name = await uploaded()
    assert.deepEqual(answered(await bruno.client.storage.from('documents').remove([name])), [])
    assert.deepEqual(
      answered(await files.remove([name])).map((row) => row.name),
      [name],
    )
    assert.equal((await files.exists(name)).data, false)
  })
})

for (const [method, tests] of Object.entries({
  createBucket: async (id) => assert.deepEqual(answered(await server.storage.getBucket(id)).id, id),
  getBucket: async (id) => assert.equal(answered(await server.storage.getBucket(id)).file_size_limit, 1000),
  listBuckets: async (id) =>
    assert.ok(answered(await server.storage.listBuckets({ search: id })).some((bucket) => bucket.id === id)),
  updateBucket: async (id) => {
    assert.equal(answered(await server.storage.updateBucket(id, { public: true })).message, 'Successfully updated')
    answered(await server.storage.from(id).upload('a', PDF, pdf))
    const { publicUrl } = server.storage.from(id).getPublicUrl('a')
    assert.equal(publicUrl, undefined)
    const address = server.storage.from(id).getPublicUrl('a').data.publicUrl
    assert.equal(await (await fetch(address)).text(), PDF.toString())
  },
  emptyBucket: async (id) => {
    answered(await server.storage.from(id).upload('a', PDF, pdf))
    assert.match(answered(await server.storage.emptyBucket(id)).message, /queued/)
    assert.equal(answered(await server.storage.deleteBucket(id)).message, 'Successfully deleted')
  },
  deleteBucket: async (id) => {
    refused(await anna.client.storage.deleteBucket(id), '404', 'Bucket not found')
    assert.equal(answered(await server.storage.deleteBucket(id)).message, 'Successfully deleted')
  },
})) {
  works(`storage.${method}`, () => {
    test('the server may, a person may not', async () => {
      const id = `bucket-${randomUUID()}`
      const options = { public: false, fileSizeLimit: 1000, allowedMimeTypes: ['application/pdf'] }
      assert.equal(answered(await server.storage.createBucket(id, options)).name, id)
      await tests(id)
      assert.ok((await anna.client.storage.createBucket(randomUUID())).error)
    })
  })
}

test('every public method of the client has tests', () => {
  assert.deepEqual([...covered.keys()].sort(), publicMethods(['storage']).sort())
})
