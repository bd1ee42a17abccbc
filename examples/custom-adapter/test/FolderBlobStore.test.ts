import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll } from "vitest"
import { folder } from "../src/FolderBlobStore.ts"

const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folder-adapter-"))
afterAll(() => Fs.rmSync(directory, { recursive: true, force: true }))

BlobStoreContract.suite("folder", folder(directory).blobs, { largeBytes: 64 * 1024 * 1024 })
