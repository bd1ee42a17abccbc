import { vi } from "@effect/vitest"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as RemoteStoreContract from "@holdfast/testing/storage/RemoteStoreContract"
import * as Store from "./support/Store.ts"

// The suites start a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ hookTimeout: 120_000 })

requires(CephRgw.missing).describe("S3BlobStore on Ceph's gateway", () => {
  BlobStoreContract.suite("BlobStore", Store.layer, { largeBytes: 64 * 1024 * 1024 })
  RemoteStoreContract.suite("remote store", Store.subject)
})
