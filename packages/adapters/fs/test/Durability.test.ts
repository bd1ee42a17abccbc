/**
 * The system calls of the store before it acknowledges.
 */
import { assert, describe } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as Program from "./support/Program.ts"
import * as Strace from "./support/Strace.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const it = Requires.requires(Strace.missing)

describe("FsBlobStore", () => {
  for (const how of ["streamed", "whole"]) {
    it.live(`put, ${how}: before the acknowledgement → file synced, renamed, and each new directory name synced`, () =>
      Effect.gen(function* () {
        const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
        const log = `${directory}/strace.log`
        const data = `${directory}/data`
        const calls = ["openat", "write", "writev", "mkdir", "rename", "fsync"]
        const program = yield* Program.start("put.ts", [data, "1", "1000,3000000", how], Strace.record(log, calls))
        const { code, stdout, stderr } = yield* program.ended
        assert.strictEqual(code, 0, stderr)
        const keys = stdout
          .split("\n")
          .flatMap((line) => (line.startsWith("acknowledged") ? [line.split(" ")[2] ?? ""] : []))
        assert.strictEqual(keys.length, 2)

        const trace = Strace.readCalls(log)
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
          // The name of each directory, by a sync of its parent.
          for (const [parent, child] of [
            ["", tenant],
            [`/${tenant}`, bucket],
            [`/${tenant}/${bucket}`, shard]
          ]) {
            const making = at(new RegExp(`mkdir\\("${data}/blobs${parent}/${child}", 0700\\)`))
            assert.isBelow(at(new RegExp(`fsync\\(\\d+<${data}/blobs${parent}>\\).* = 0`), making), named)
          }
        }
        // The name of the data directory, too.
        at(new RegExp(`fsync\\(\\d+<${directory}>\\).* = 0`))
        at(new RegExp(`fsync\\(\\d+<${data}>\\).* = 0`))
      })
    )
  }

  it.live("remove: before the acknowledgement → directory synced, also when the file was missing", () =>
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
      const steps = Strace.readCalls(log).flatMap((line) => {
        if (line.includes(`unlink("${path}"`)) return [line.includes("ENOENT") ? "missing" : "unlinked"]
        if (line.includes(`<${Path.dirname(path)}>`) && line.includes("fsync(")) return ["synced"]
        return line.includes("write(1") && line.includes("removed") ? ["acknowledged"] : []
      })
      assert.deepStrictEqual(steps, ["unlinked", "synced", "acknowledged", "missing", "synced", "acknowledged"])
    })
  )
})
