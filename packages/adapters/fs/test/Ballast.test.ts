import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import Fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as Ballast from "../src/Ballast.ts"
import type * as FsCall from "../src/internal/FsCall.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const mebibyte = 1024 * 1024

const reserve = {
  read: Effect.succeed({ free: 64 * mebibyte, reserve: 4 * mebibyte, hasInodes: true }),
  readSync: () => undefined,
  claim: () => Effect.void,
  admit: () => Effect.void,
  writer: () => ({ claim: () => Effect.void, close: () => undefined }),
  check: Effect.void
}

/** Replaces `fs.write` by one that writes at most so many bytes. */
const writingAtMost = (most: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { write } = Fs
      const limited = (
        descriptor: number,
        bytes: Uint8Array,
        offset: number,
        length: number,
        at: null,
        done: FsCall.Callback<number>
      ) =>
        most === 0
          ? setImmediate(() => done(null, 0))
          : write(descriptor, bytes, offset, Math.min(most, length), at, done)
      Object.assign(Fs, { write: limited })
      syncBuiltinESMExports()
      return write
    }),
    (write) =>
      Effect.sync(() => {
        Object.assign(Fs, { write })
        syncBuiltinESMExports()
      })
  )

it.live(
  "ballast: calls that write a part of their bytes → whole files; a call that writes nothing → EIO, no file",
  () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const { restore } = Ballast.make(`${directory}/ballast`, reserve)
      const names = Effect.sync(() => Fs.readdirSync(directory).toSorted())
      assert.strictEqual((yield* Effect.scoped(Effect.andThen(writingAtMost(0), Effect.flip(restore)))).code, "EIO")
      assert.deepStrictEqual(yield* names, [])
      yield* Effect.scoped(Effect.andThen(writingAtMost(100_000), restore))
      assert.deepStrictEqual(yield* names, ["ballast.0", "ballast.1", "ballast.2", "ballast.3"])
      assert.strictEqual(Fs.statSync(`${directory}/ballast.3`).size, mebibyte / 2)
    })
)
