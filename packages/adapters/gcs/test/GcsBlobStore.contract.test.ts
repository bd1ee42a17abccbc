import { vi } from "@effect/vitest"
import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as RemoteStoreContract from "@holdfast/testing/storage/RemoteStoreContract"
import * as Store from "./support/Store.ts"

// Some tests make many requests. On a busy machine they take longer than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000 })

BlobStoreContract.suite("GcsBlobStore on a fake of the service: BlobStore", Store.layer, {
  largeBytes: 64 * 1024 * 1024
})
RemoteStoreContract.suite("GcsBlobStore on a fake of the service: remote store", Store.subject)
