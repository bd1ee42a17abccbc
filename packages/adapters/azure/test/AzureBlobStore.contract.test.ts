import { vi } from "@effect/vitest"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as RemoteStoreContract from "@holdfast/testing/storage/RemoteStoreContract"
import { allCalls } from "@holdfast/testing/storage/remote/RemoteStores"
import * as Store from "./support/Store.ts"

// The suites start a server. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ hookTimeout: 120_000 })

requires(Azurite.missing).describe("AzureBlobStore on Azurite", () => {
  BlobStoreContract.suite("BlobStore", Store.layer, { largeBytes: 64 * 1024 * 1024 })
  RemoteStoreContract.suite("remote store", Store.subject, { misconfiguredCalls: allCalls })
})
