import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect } from "vitest"
import * as DirectoryOwner from "../src/DirectoryOwner.ts"
import * as DirectCalls from "../src/internal/DirectCalls.ts"
import * as Upload from "../src/internal/Upload.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const chunk = Buffer.alloc(50_000, "slow")
const chunks = 5
const uploads = 400

const sizeOf = (path: string): number => Fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0

it.effect(
  "400 uploads that pause → less than half of their bytes are in memory; all complete, and later ones as usual",
  () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const owner = DirectoryOwner.make(directory)
      const directCalls = DirectCalls.make({ maxMillis: 2, poolFactor: 20 })
      const begin = Effect.fnUntraced(function* (name: number) {
        const path = Path.join(directory, String(name))
        const upload = Upload.make({ path, directCalls, owner })
        for (let index = 0; index < chunks; index++) yield* upload.accept([chunk])
        return { path, upload }
      })
      const all = yield* Effect.forEach(Array.from({ length: uploads }).keys(), begin)
      const bytes = chunks * chunk.length
      const written = () => all.reduce((sum, { path }) => sum + sizeOf(path), 0)
      // A batch is written while the next one is collected.
      yield* Effect.promise(() => expect.poll(written).toBeGreaterThan((uploads * bytes) / 2))

      const sha256 = createHash("sha256")
        .update(Buffer.concat(Array.from({ length: chunks }, () => chunk)))
        .digest("hex")
      for (const [index, { path, upload }] of all.entries()) {
        if (index % 2 === 0) expect(yield* upload.finish).toEqual({ size: bytes, sha256 })
        else yield* upload.discard
        expect(sizeOf(path)).toBe(index % 2 === 0 ? bytes : 0)
      }
      // Nothing is written before a batch of the usual size is complete.
      const later = yield* begin(uploads)
      expect(sizeOf(later.path)).toBe(0)
      yield* later.upload.discard
    }).pipe(Effect.scoped)
)
