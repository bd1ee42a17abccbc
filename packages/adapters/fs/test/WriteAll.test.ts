import { assert, describe, it } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as FsCall from "../src/internal/FsCall.ts"
import * as WriteAll from "../src/internal/WriteAll.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

/** Makes system calls that write at most so many bytes, as the kernel does after a signal or near a quota. */
const callsLimitedTo = (most: number) => {
  const counts: Array<number> = []
  const write: WriteAll.Calls["write"] = (descriptor, bytes, written) => {
    counts.push(bytes.byteLength)
    if (most === 0) written(null, 0)
    else WriteAll.kernel.write(descriptor, bytes.subarray(0, most), written)
  }
  const calls: WriteAll.Calls = {
    write,
    writev: (descriptor, chunks, written) => write(descriptor, Buffer.concat(chunks), written)
  }
  return { calls, counts }
}

const writeAll = (calls: WriteAll.Calls, chunks: ReadonlyArray<Uint8Array>) =>
  Effect.gen(function* () {
    const path = `${yield* TemporaryDirectory.make}/file`
    const descriptor = Fs.openSync(path, "wx")
    yield* Effect.addFinalizer(() => Effect.sync(() => Fs.closeSync(descriptor)))
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    yield* FsCall.call<void>((done) => WriteAll.writeAll(calls, descriptor, chunks, bytes, (error) => done(error)))
    return Fs.readFileSync(path)
  })

describe("WriteAll", () => {
  const cases: ReadonlyArray<readonly [sizes: ReadonlyArray<number>, most: number]> = [
    [[10_500], 1000],
    [[9000, 10_000, 8192], 1000],
    [[9000, 9000, 9000], 9000],
    [[9000, 9000, 9000, 9000], 18_500],
    [[10, 0, 3, 7, 1], 7],
    [[100_000, 1, 200_000], 1_000_000],
    [[], 5]
  ]

  it.live.each(cases)("writeAll: chunks of %j, at most %d bytes per call → all bytes written", ([sizes, most]) =>
    Effect.gen(function* () {
      const chunks = sizes.map((size, index) => Generate.bytes(index, size))
      const expected = Buffer.concat(chunks)
      const { calls, counts } = callsLimitedTo(most)
      assert.isTrue((yield* writeAll(calls, chunks)).equals(expected))
      // Each call gets all remaining bytes.
      assert.deepStrictEqual(
        counts,
        Array.from({ length: Math.ceil(expected.byteLength / most) }, (_, index) => expected.byteLength - index * most)
      )
    })
  )

  const together: ReadonlyArray<readonly [sizes: ReadonlyArray<number>]> = [
    [[9000, 9000, 70_000]],
    [[1, 2, 3]],
    [[5000]]
  ]

  it.live.each(together)("writeAll: chunks of %j, real system calls → all bytes written", ([sizes]) =>
    Effect.gen(function* () {
      const chunks = sizes.map((size, index) => Generate.bytes(index, size))
      assert.isTrue((yield* writeAll(WriteAll.kernel, chunks)).equals(Buffer.concat(chunks)))
    })
  )

  it.live("writeAll: call writes nothing → EIO after one call", () =>
    Effect.gen(function* () {
      const { calls, counts } = callsLimitedTo(0)
      const error = yield* Effect.flip(writeAll(calls, [Generate.bytes(1, 10)]))
      assert.strictEqual(error.code, "EIO")
      assert.deepStrictEqual(counts, [10])
    })
  )
})
