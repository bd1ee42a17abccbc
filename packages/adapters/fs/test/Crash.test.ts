/**
 * Kills the process, or makes a system call fail, at each step of a put.
 */
import { assert, describe } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Consistency from "./support/Consistency.ts"
import * as Program from "./support/Program.ts"
import * as Strace from "./support/Strace.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const it = Requires.requires(Strace.missing)

describe("FsBlobStore", () => {
  const sizes = "70000,3,600000"

  /** The system calls at which the process is killed. The last number of each kind is above the number of its calls. */
  const points = [
    ...[2, 4, 6, 7, 8, 9, 10, 11, 12, 40].map((nth) => ["fsync", nth, "streamed"] as const),
    ...[1, 2, 3, 4].map((nth) => ["rename", nth, "streamed"] as const),
    ...[4].map((nth) => ["mkdir", nth, "streamed"] as const),
    ...[7, 10, 40].map((nth) => ["fsync", nth, "whole"] as const),
    ...[2].map((nth) => ["rename", nth, "whole"] as const)
  ]

  for (const [call, nth, how] of points) {
    it.live(`put, ${how}: process killed at ${call} number ${nth} → acknowledged blobs whole, no other file left`, () =>
      Effect.gen(function* () {
        const directory = yield* TemporaryDirectory.make
        const log = `${directory}/strace.log`
        const data = `${directory}/data`
        const program = yield* Program.start("put.ts", [data, "2", sizes, how], Strace.killAt(log, call, nth))
        const { code, stdout } = yield* program.ended
        const { acknowledged } = yield* Consistency.assertConsistent(data, stdout)
        if (code === 0) assert.strictEqual(acknowledged.length, 3)
        else assert.isBelow(acknowledged.length, 3)
      })
    )
  }

  const failures = [
    ["openat", "tmp", "EMFILE", "Unavailable", "streamed"],
    ["write", "tmp", "ENOSPC", "StorageFull", "streamed"],
    ["write", "tmp", "EIO", "Unavailable", "streamed"],
    ["fsync", "tmp", "EIO", "Unavailable", "streamed"],
    ["close", "tmp", "EIO", "Unavailable", "streamed"],
    ["rename", "tmp", "EDQUOT", "StorageFull", "streamed"],
    ["mkdir", "shard", "ENOSPC", "StorageFull", "streamed"],
    ["openat", "shard", "EACCES", "Internal", "streamed"],
    ["fsync", "shard", "EIO", "Unavailable", "streamed"],
    ["openat", "tmp", "EMFILE", "Unavailable", "whole"],
    ["write", "tmp", "ENOSPC", "StorageFull", "whole"],
    ["fsync", "tmp", "EIO", "Unavailable", "whole"],
    ["rename", "tmp", "EDQUOT", "StorageFull", "whole"]
  ] as const

  for (const [call, place, errno, reason, how] of failures) {
    it.live(`put, ${how}: ${call} in ${place} fails with ${errno} → ${reason}, no file left`, () =>
      Effect.gen(function* () {
        const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
        const data = `${directory}/data`
        const blob = Generate.id("blb", 3, 50_000)
        const paths = {
          tmp: `${data}/tmp/${blob}.1`,
          shard: `${data}/blobs/${Generate.id("ten", 3, 0)}/${Generate.id("bkt", 3, 1)}/${blob.slice(-2)}`
        }
        const strace = Strace.failAt(`${directory}/strace.log`, call, paths[place], errno)
        const program = yield* Program.start("put.ts", [data, "3", "4000,50000,600000", how], strace)
        const { code, stdout, stderr } = yield* program.ended
        assert.strictEqual(code, 0, stderr)
        const { acknowledged, failed, stored } = yield* Consistency.assertConsistent(data, stdout)
        assert.deepStrictEqual(failed, [["failed", "50000", reason]])
        assert.strictEqual(acknowledged.length, 2)
        assert.strictEqual(stored.size, 2)
      })
    )
  }

  it.live("put: sync of a replacement fails → the old or the new blob, whole", () =>
    Effect.gen(function* () {
      const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
      const data = `${directory}/data`
      const blob = Generate.id("blb", 6, 50_000)
      const shard = `${data}/blobs/${Generate.id("ten", 6, 0)}/${Generate.id("bkt", 6, 1)}/${blob.slice(-2)}`
      const strace = Strace.failAt(`${directory}/strace.log`, "fsync", shard, "EIO", 2)
      const program = yield* Program.start("put.ts", [data, "6", "50000,50000"], strace)
      const { code, stdout, stderr } = yield* program.ended
      assert.strictEqual(code, 0, stderr)
      const { acknowledged, failed } = yield* Consistency.assertConsistent(data, stdout)
      assert.strictEqual(acknowledged.length, 1)
      assert.deepStrictEqual(failed, [["failed", "50000", "Unavailable"]])
    })
  )
})
