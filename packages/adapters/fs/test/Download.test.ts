import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { DirectCalls } from "../src/internal/DirectCalls.ts"
import * as Download from "../src/internal/Download.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251)

const threads: ReadonlyArray<readonly [name: string, calls: DirectCalls]> = [
  ["on the calling thread", { isFast: () => true, run: (operation) => operation() }],
  ["in the thread pool", { isFast: () => false, run: () => assert.fail("runs on the calling thread") }]
]

const makeFile = Effect.gen(function* () {
  const path = join(yield* TemporaryDirectory.make, "content")
  yield* Effect.promise(() => writeFile(path, bytes))
  return path
})

/** Whether this process has the file open. */
const isOpen = (path: string): boolean =>
  Fs.readdirSync("/proc/self/fd").some((descriptor) => {
    try {
      return Fs.readlinkSync(`/proc/self/fd/${descriptor}`) === path
    } catch {
      // The descriptor by which the directory was listed.
      return false
    }
  })

describe.each(threads)("openFile, %s", (_, calls) => {
  const read = (path: string, size: number, offset: number, length: number) =>
    Effect.scoped(
      Effect.gen(function* () {
        const fill = yield* Download.openFile(path, size, calls)
        const memory = new Uint8Array(length)
        yield* fill(offset, memory)
        return memory
      })
    )

  it.effect("range → its bytes, and the file is closed", () =>
    Effect.gen(function* () {
      const path = yield* makeFile
      assert.deepStrictEqual(yield* read(path, 1000, 300, 500), bytes.slice(300, 800))
      assert.isFalse(isOpen(path))
    })
  )

  it.effect("missing file → ENOENT", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(`${yield* makeFile}-missing`, 1000, 0, 10))
      assert.strictEqual(error.code, "ENOENT")
    })
  )

  it.effect("file of another size → WRONG_SIZE, and the file is closed", () =>
    Effect.gen(function* () {
      const path = yield* makeFile
      const error = yield* Effect.flip(read(path, 999, 0, 10))
      assert.strictEqual(error.code, Download.wrongSize)
      assert.isFalse(isOpen(path))
    })
  )

  it.effect("file is cut off while it is open → WRONG_SIZE", () =>
    Effect.gen(function* () {
      const path = yield* makeFile
      const fill = yield* Download.openFile(path, 1000, calls)
      assert.isTrue(isOpen(path))
      yield* Effect.promise(() => truncate(path, 400))
      const error = yield* Effect.flip(fill(300, new Uint8Array(500)))
      assert.strictEqual(error.code, Download.wrongSize)
    })
  )
})
