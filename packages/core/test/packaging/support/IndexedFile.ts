/**
 * A packaged file that is read as the service reads it: by its stored index.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expect } from "vitest"
import * as PackagedFile from "../../../src/packaging/PackagedFile.ts"
import * as SegmentIndex from "../../../src/packaging/SegmentIndex.ts"
import type { Source } from "../../../src/packaging/Source.ts"
import type { ByteRange } from "../../../src/storage/BlobStore.ts"

/** Opens an index, and returns what cuts each file of the presentation from it alone; undefined for a name without a file. */
export const open = Effect.fnUntraced(function* <E>(source: Source<E>, parts: ReadonlyArray<Uint8Array>) {
  const stored = new Uint8Array(Buffer.concat(parts))
  const read = ({ length, offset }: ByteRange) => Effect.succeed(stored.slice(offset, offset + length))
  const index = yield* SegmentIndex.open(read)
  const cut = Effect.fnUntraced(function* (name: string) {
    const file = yield* PackagedFile.find(index, name, read)
    if (file === undefined) return undefined
    const whole = Buffer.concat(yield* Stream.runCollect(file.cut(source)))
    expect(whole.length).toBe(file.size)
    return new Uint8Array(whole)
  })
  return { count: index.count, indexBytes: stored.length, cut }
})
