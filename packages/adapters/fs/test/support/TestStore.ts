/**
 * A store to try, and a look behind it.
 */
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"

/** The parts of a key; all are of one bucket. */
export const parts = (index: number): BlobKey.Parts => ({
  tenantId: Generate.id("ten", 1, 0),
  bucketId: Generate.id("bkt", 1, 0),
  blobId: Generate.id("blb", 1, index)
})

export const key = (index: number): string => BlobKey.make(parts(index))

/** A store in a new directory. */
export const open = Effect.gen(function* () {
  const directory = `${yield* TemporaryDirectory.make}/data`
  const store = yield* FsBlobStore.make({ directory })
  return { directory, store }
})

/** What a directory holds, in order. */
export const names = (directory: string): ReadonlyArray<string> => Fs.readdirSync(directory).toSorted()

/** Why `descriptors` does not work here; undefined where it does. */
export const missingForDescriptors: string | undefined = Fs.existsSync("/proc/self/fd")
  ? undefined
  : "there is no /proc/self/fd"

/** The files of a store that this process has open. */
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
