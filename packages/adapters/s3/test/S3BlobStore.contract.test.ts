import { vi } from "@effect/vitest"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as Bucket from "./support/Bucket.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ hookTimeout: 120_000 })

requires(CephRgw.missing).describe("S3BlobStore", () =>
  BlobStoreContract.suite("on Ceph's gateway", Bucket.store, { largeBytes: 64 * 1024 * 1024 })
)
