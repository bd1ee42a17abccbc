/**
 * What the store asks of the kernel, and what it makes of the kernel's answers.
 */
import { assert, describe } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as Program from "./support/Program.ts"
import * as Strace from "./support/Strace.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const it = Requires.requires(Strace.missing)

/** Whatever the program said, every blob that stands is whole, and everything acknowledged stands. */
const assertConsistent = (directory: string, stdout: string) =>
  Effect.gen(function* () {
    const store = yield* FsBlobStore.make({ directory })
    assert.deepStrictEqual(Fs.readdirSync(`${directory}/tmp`), [])
    const entries = yield* Stream.runCollect(store.list(""))
    for (const { key, size } of entries) {
      const chunks = yield* Stream.runCollect(store.read(key))
      assert.strictEqual(Generate.sha256(Buffer.concat(chunks)), Generate.sha256(Generate.bytes(size, size)))
    }
    const standing = new Set(entries.map(({ key }) => key))
    const lines = stdout.split("\n").map((line) => line.split(" "))
    const acknowledged = lines.flatMap(([verb, , key]) => (verb === "acknowledged" && key !== undefined ? [key] : []))
    for (const key of acknowledged) assert.isTrue(standing.has(key), key)
    // At most the one that was under way when the process died.
    assert.isAtMost(standing.size - acknowledged.length, 1)
    return { standing, acknowledged, failed: lines.filter(([verb]) => verb === "failed") }
  })

describe("FsBlobStore and the kernel", () => {
  it.live("syncs the bytes, renames, and syncs every new name before it acknowledges", () =>
    Effect.gen(function* () {
      const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
      const log = `${directory}/strace.log`
      const data = `${directory}/data`
      const calls = ["openat", "write", "writev", "mkdir", "rename", "fsync"]
      const program = yield* Program.start("put.ts", [data, "1", "1000,3000000"], Strace.record(log, calls))
      const { code, stdout, stderr } = yield* program.ended
      assert.strictEqual(code, 0, stderr)
      const keys = stdout
        .split("\n")
        .flatMap((line) => (line.startsWith("acknowledged") ? [line.split(" ")[2] ?? ""] : []))
      assert.strictEqual(keys.length, 2)

      const trace = Fs.readFileSync(log, "utf8").split("\n")
      const at = (pattern: RegExp, after = 0) => {
        const index = trace.findIndex((line, index) => index >= after && pattern.test(line))
        assert.isAtLeast(index, 0, `${pattern} after line ${after}`)
        return index
      }
      for (const key of keys) {
        const [tenant = "", bucket = "", blob = ""] = key.split("/")
        const shard = blob.slice(-2)
        const made = at(new RegExp(`openat\\(.*/tmp/${blob}.*O_EXCL.*0600`))
        const written = at(new RegExp(`write.*<${data}/tmp/${blob}`), made)
        const synced = at(new RegExp(`fsync\\(\\d+<${data}/tmp/${blob}[^>]*>\\).* = 0`), written)
        assert.isFalse(
          trace.slice(synced).some((line) => /write/.test(line) && line.includes(`/tmp/${blob}`)),
          "written after the sync"
        )
        const renamed = at(new RegExp(`rename\\("${data}/tmp/${blob}.*${tenant}/${bucket}/${shard}/${blob}"`), synced)
        const named = at(new RegExp(`fsync\\(\\d+<${data}/blobs/${tenant}/${bucket}/${shard}>\\).* = 0`), renamed)
        at(new RegExp(`write\\(1.*acknowledged`), named)
        // Each directory's own name, which its parent holds.
        for (const [parent, child] of [
          ["", tenant],
          [`/${tenant}`, bucket],
          [`/${tenant}/${bucket}`, shard]
        ]) {
          const making = at(new RegExp(`mkdir\\("${data}/blobs${parent}/${child}", 0700\\)`))
          assert.isBelow(at(new RegExp(`fsync\\(\\d+<${data}/blobs${parent}>\\).* = 0`), making), named)
        }
      }
      // The data directory's own name too.
      at(new RegExp(`fsync\\(\\d+<${directory}>\\).* = 0`))
      at(new RegExp(`fsync\\(\\d+<${data}>\\).* = 0`))
    })
  )

  it.live("syncs a removal before it says so, also when nothing was there", () =>
    Effect.gen(function* () {
      const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
      const log = `${directory}/strace.log`
      const data = `${directory}/data`
      const key = `${Generate.id("ten", 5, 0)}/${Generate.id("bkt", 5, 0)}/${Generate.id("blb", 5, 0)}`
      const path = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* FsBlobStore.make({ directory: data })
          yield* store.put(key, Generate.stream(5, 100))
          return store.localFile(key) ?? ""
        })
      )
      const strace = Strace.record(log, ["unlink", "fsync", "write"])
      const program = yield* Program.start("remove.ts", [data, key], strace)
      const { code, stderr } = yield* program.ended
      assert.strictEqual(code, 0, stderr)
      const steps = Fs.readFileSync(log, "utf8")
        .split("\n")
        .flatMap((line) => {
          if (line.includes(`unlink("${path}"`)) return [line.includes("ENOENT") ? "nothing there" : "unlinked"]
          if (line.includes(`<${Path.dirname(path)}>`) && line.includes("fsync(")) return ["synced"]
          return line.includes("write(1") && line.includes("removed") ? ["said"] : []
        })
      assert.deepStrictEqual(steps, ["unlinked", "synced", "said", "nothing there", "synced", "said"])
    })
  )

  const sizes = "70000,3,600000"

  /** The last point of a kind lies behind its last call. */
  const points = [
    ...[2, 4, 6, 7, 8, 9, 10, 11, 12, 40].map((nth) => ["fsync", nth] as const),
    ...[1, 2, 3, 4].map((nth) => ["rename", nth] as const),
    ...[4].map((nth) => ["mkdir", nth] as const)
  ]

  for (const [call, nth] of points) {
    it.live(`keeps what it acknowledged when it is killed at ${call} ${nth}`, () =>
      Effect.gen(function* () {
        const directory = yield* TemporaryDirectory.make
        const log = `${directory}/strace.log`
        const data = `${directory}/data`
        const program = yield* Program.start("put.ts", [data, "2", sizes], Strace.killAt(log, call, nth))
        const { code, stdout } = yield* program.ended
        const { acknowledged } = yield* assertConsistent(data, stdout)
        if (code === 0) assert.strictEqual(acknowledged.length, 3)
        else assert.isBelow(acknowledged.length, 3)
      })
    )
  }

  const failures = [
    ["openat", "tmp", "EMFILE", "Unavailable"],
    ["write", "tmp", "ENOSPC", "StorageFull"],
    ["write", "tmp", "EIO", "Unavailable"],
    ["fsync", "tmp", "EIO", "Unavailable"],
    ["close", "tmp", "EIO", "Unavailable"],
    ["rename", "tmp", "EDQUOT", "StorageFull"],
    ["mkdir", "shard", "ENOSPC", "StorageFull"],
    ["openat", "shard", "EACCES", "Internal"],
    ["fsync", "shard", "EIO", "Unavailable"]
  ] as const

  for (const [call, place, errno, reason] of failures) {
    it.live(`fails as ${reason}, and leaves nothing, when ${call} of ${place} answers ${errno}`, () =>
      Effect.gen(function* () {
        const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
        const data = `${directory}/data`
        const blob = Generate.id("blb", 3, 50_000)
        const paths = {
          tmp: `${data}/tmp/${blob}.1`,
          shard: `${data}/blobs/${Generate.id("ten", 3, 0)}/${Generate.id("bkt", 3, 1)}/${blob.slice(-2)}`
        }
        const strace = Strace.failAt(`${directory}/strace.log`, call, paths[place], errno)
        const program = yield* Program.start("put.ts", [data, "3", "4000,50000,600000"], strace)
        const { code, stdout, stderr } = yield* program.ended
        assert.strictEqual(code, 0, stderr)
        const { acknowledged, failed, standing } = yield* assertConsistent(data, stdout)
        assert.deepStrictEqual(failed, [["failed", "50000", reason]])
        assert.strictEqual(acknowledged.length, 2)
        assert.strictEqual(standing.size, 2)
      })
    )
  }

  it.live("keeps a blob, the old or the new one, when its replacement cannot be synced", () =>
    Effect.gen(function* () {
      const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
      const data = `${directory}/data`
      const blob = Generate.id("blb", 6, 50_000)
      const shard = `${data}/blobs/${Generate.id("ten", 6, 0)}/${Generate.id("bkt", 6, 1)}/${blob.slice(-2)}`
      const strace = Strace.failAt(`${directory}/strace.log`, "fsync", shard, "EIO", 2)
      const program = yield* Program.start("put.ts", [data, "6", "50000,50000"], strace)
      const { code, stdout, stderr } = yield* program.ended
      assert.strictEqual(code, 0, stderr)
      const { acknowledged, failed } = yield* assertConsistent(data, stdout)
      assert.strictEqual(acknowledged.length, 1)
      assert.deepStrictEqual(failed, [["failed", "50000", "Unavailable"]])
    })
  )
})
