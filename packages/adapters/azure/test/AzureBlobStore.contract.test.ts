import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as Container from "./support/Container.ts"

requires(Azurite.missing).describe("AzureBlobStore", () =>
  BlobStoreContract.suite("on Azurite", Container.store, { largeBytes: 64 * 1024 * 1024 })
)
