/**
 * Opens a Holdfast in memory, with a store that fails on demand.
 */
import { open } from "@holdfast/core"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { inMemory } from "@holdfast/testing/InMemory"
import * as BlobFaults from "@holdfast/testing/storage/BlobFaults"
import * as FaultyBlobStore from "@holdfast/testing/storage/FaultyBlobStore"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { onTestFinished } from "vitest"

export const setUp = async () => {
  const { faults, store } = FaultyBlobStore.make(await Effect.runPromise(MemoryBlobStore.make))
  const holdfast = await open({ ...inMemory(), blobs: { blobs: Layer.succeed(BlobStore, store) } })
  onTestFinished(() => holdfast.close())
  const owner = holdfast.account("owner@example.com")
  const tenant = await holdfast.tenants.create(owner, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(owner, { tenantId: tenant.id, name: "notes" })
  /** Makes every later upload fail as on a full disk. */
  const fillDisk = () => Effect.runPromise(faults.inject({ method: "put", action: BlobFaults.fail("StorageFull") }))
  return { holdfast, owner, ref: { tenantId: tenant.id, bucketId: bucket.id }, fillDisk }
}
