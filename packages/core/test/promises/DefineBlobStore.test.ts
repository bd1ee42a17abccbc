/**
 * Blob stores that break what they have to guarantee: the adapter detects it. Stores that keep it run the contract suite
 * (`examples/custom-adapter`).
 */
import { BlobError, type BlobStoreDefinition, defineBlobStore, type Holdfast, open } from "@holdfast/core"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { memory } from "@holdfast/testing"
import { expect, it, onTestFinished } from "vitest"

const setUp = async (faults: Partial<BlobStoreDefinition> = {}) => {
  const blobs = new Map<string, Buffer>()
  const signals: Array<AbortSignal> = []
  const definition: BlobStoreDefinition = {
    name: "map",
    put: async ({ content, key }) => {
      const chunks: Array<Uint8Array> = []
      for await (const chunk of content) chunks.push(chunk)
      blobs.set(key, Buffer.concat(chunks))
    },
    read: async ({ key, range, signal }) => {
      signals.push(signal)
      const blob = blobs.get(key)
      if (blob === undefined) return undefined
      const { length, offset } = range ?? { offset: 0, length: blob.length }
      return { size: blob.length, content: blob.subarray(offset, offset + length) }
    },
    stat: async ({ key }) => (blobs.has(key) ? { size: blobs.get(key)?.length ?? 0 } : undefined),
    remove: async ({ key }) => void blobs.delete(key),
    list: ({ prefix }) =>
      [...blobs].flatMap(([key, { length }]) => (key.startsWith(prefix) ? [{ key, size: length }] : [])),
    ...faults
  }
  const holdfast = await open({ metadata: memory(), blobs: defineBlobStore(definition), sweepEvery: false })
  onTestFinished(() => holdfast.close())
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  const upload = (content: Parameters<Holdfast["files"]["upload"]>[1]["content"]) =>
    holdfast.files.upload(ada, { ...ref, name: "a", content })
  return { holdfast, ada, ref, upload, blobs, signals }
}

it("upload and read: whole, range, cancelled → the bytes; the signal fires when the reader is done", async () => {
  const { ada, holdfast, ref, signals, upload } = await setUp()
  const file = await upload("Hello")
  const read = (range?: { readonly offset: number; readonly length: number }) =>
    holdfast.files.read(ada, { ...ref, fileId: file.id, range })
  expect(await (await read()).text()).toBe("Hello")
  expect(await (await read({ offset: 1, length: 3 })).text()).toBe("ell")
  await (await read()).stream().cancel()
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

it("put: stores a content that has failed → the error of the content, nothing is stored", async () => {
  const stored = new Map<string, number>()
  const { blobs, upload } = await setUp({
    put: async ({ content, key }) => {
      stored.set(key, 0)
      try {
        for await (const chunk of content) stored.set(key, (stored.get(key) ?? 0) + chunk.length)
      } catch {
        // The fault that is tested: the store swallows the error of the content.
      }
    },
    remove: async ({ key }) => void stored.delete(key)
  })
  const broken = async function* () {
    yield "half"
    throw new Error("connection lost")
  }
  await expect(upload(broken())).rejects.toMatchObject({ code: "source_failed" })
  expect([...stored.keys()].filter((key) => !key.startsWith(BlobKey.identityPrefix))).toEqual([])
  expect(blobs.size).toBe(0)
})

it.each<[fault: string, put: BlobStoreDefinition["put"], code: string]>([
  ["resolves before it has read the content", async () => undefined, "internal"],
  ["has a bug", async () => void (undefined as unknown as Map<string, string>).clear(), "internal"],
  [
    "fails as a full disk does",
    () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })),
    "storage_full"
  ],
  ["cannot reach its backend", () => Promise.reject(new Error("connection refused")), "unavailable"],
  [
    "throws a BlobError",
    () => Promise.reject(new BlobError({ reason: "StorageFull", operation: "put" })),
    "storage_full"
  ]
])("put: %s → rejects", async (_, put, code) => {
  const { upload } = await setUp({ put })
  await expect(upload("Hello")).rejects.toMatchObject({ code })
})

it.each([
  ["too short", "Hell"],
  ["too long", "Hello!"]
])("read: content %s → rejects", async (_, content) => {
  const { ada, holdfast, ref, upload } = await setUp({ read: async () => ({ size: 5, content }) })
  const file = await upload("Hello")
  const download = await holdfast.files.read(ada, { ...ref, fileId: file.id })
  await expect(download.text()).rejects.toBeDefined()
})

it("definition that is not complete → InvalidRequest with each fault", () => {
  const definition: BlobStoreDefinition = JSON.parse('{"name":"","puts":1}')
  expect(() => defineBlobStore(definition)).toThrow(
    expect.objectContaining({
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: "/put" }),
        expect.objectContaining({ pointer: "/list" }),
        { pointer: "/name", detail: "must be a text that is not empty" },
        { pointer: "/puts", detail: "is not known; did you mean put?" }
      ])
    })
  )
})
