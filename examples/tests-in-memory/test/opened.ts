/**
 * A Holdfast that lives in memory, with a store that fails when a test says so.
 */
import { open } from "@holdfast/core"
import * as BlobFaults from "@holdfast/testing/storage/BlobFaults"
import * as FaultyBlobStore from "@holdfast/testing/storage/FaultyBlobStore"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { onTestFinished } from "vitest"

export const opened = async () => {
  const { faults, store } = FaultyBlobStore.make(await Effect.runPromise(MemoryBlobStore.make))
  const holdfast = await open({
    metadata: { metadata: MemoryMetadata.layer },
    blobs: { blobs: Layer.succeed(BlobStore, store) },
    sweepEvery: false
  })
  onTestFinished(() => holdfast.close())
  const owner = holdfast.account("owner@example.com")
  const tenant = await holdfast.tenants.create(owner, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(owner, { tenantId: tenant.id, name: "notes" })
  /** From now on the disk is full. */
  const fillDisk = () => Effect.runPromise(faults.inject({ method: "put", action: BlobFaults.fail("StorageFull") }))
  return { holdfast, owner, ref: { tenantId: tenant.id, bucketId: bucket.id }, fillDisk }
}
