/**
 * A store for tests, and functions that read its directory and descriptors.
 */
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"

/** Returns the parts of a key. All keys are in one bucket. */
export const parts = (index: number): BlobKey.Parts => ({
  tenantId: Generate.id("ten", 1, 0),
  bucketId: Generate.id("bkt", 1, 0),
  blobId: Generate.id("blb", 1, index)
})

export const key = (index: number): string => BlobKey.make(parts(index))

/** Opens a store in a new directory. */
export const open = Effect.gen(function* () {
  const directory = `${yield* TemporaryDirectory.make}/data`
  const store = yield* FsBlobStore.make({ directory })
  return { directory, store }
})

/** Returns the names in a directory, in order. */
export const names = (directory: string): ReadonlyArray<string> => Fs.readdirSync(directory).toSorted()

/** Why `descriptors` cannot run; undefined if it can. */
export const missingForDescriptors: string | undefined = Fs.existsSync("/proc/self/fd")
  ? undefined
  : "there is no /proc/self/fd"

/** Returns the files of a store that this process has open. */
export const descriptors = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = Fs.readlinkSync(`/proc/self/fd/${descriptor}`)
      return path.startsWith(`${directory}/tmp/`) || path.startsWith(`${directory}/blobs/`) ? [path] : []
    } catch {
      // The descriptor of the listing itself.
      return []
    }
  })
