import { vi } from "@effect/vitest"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as Container from "./support/Container.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ hookTimeout: 120_000 })

requires(Azurite.missing).describe("AzureBlobStore", () =>
  BlobStoreContract.suite("on Azurite", Container.store, { largeBytes: 64 * 1024 * 1024 })
)
