import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll } from "vitest"
import * as SqliteBlobStore from "../src/SqliteBlobStore.ts"

const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "custom-adapter-"))
afterAll(() => Fs.rmSync(directory, { recursive: true, force: true }))

BlobStoreContract.suite("SqliteBlobStore", SqliteBlobStore.layer(Path.join(directory, "blobs.sqlite")), {
  largeBytes: 16 * 1024 * 1024
})
