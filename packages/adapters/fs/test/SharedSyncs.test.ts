/**
 * Uploads into one directory share its sync.
 */
import { assert, describe } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Program from "./support/Program.ts"
import * as Strace from "./support/Strace.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const it = Requires.requires(Strace.missing)

const count = 16

const setUp = Effect.gen(function* () {
  const directory = Fs.realpathSync(yield* TemporaryDirectory.make)
  const data = `${directory}/data`
  const shard = `${data}/blobs/${Generate.id("ten", 1, 0)}/${Generate.id("bkt", 1, 1)}/00`
  return { data, log: `${directory}/strace.log`, shard }
})

describe("FsBlobStore", () => {
  for (const [how, syncsOf] of [
    ["streamed", "fewer syncs of it"],
    ["whole", "one sync of it"]
  ] as const) {
    it.live(
      `put, ${how}: 16 blobs of one directory at the same time → ${syncsOf}, each begun after the renames it answers for`,
      () =>
        Effect.gen(function* () {
          const { data, log, shard } = yield* setUp
          const strace = Strace.record(log, ["rename", "fsync", "write"])
          const program = yield* Program.start("putTogether.ts", [data, `${count}`, how], strace)
          const { code, stdout, stderr } = yield* program.ended
          assert.strictEqual(code, 0, stderr)
          const keys = new Map(
            stdout
              .trim()
              .split("\n")
              .map((line) => [line.split(" ")[1] ?? "", line.split(" ")[2] ?? ""])
          )
          assert.strictEqual(keys.size, count)

          const lines = Fs.readFileSync(log, "utf8").split("\n")
          const indexOf = (test: (line: string) => boolean, after = 0) =>
            lines.findIndex((line, index) => index >= after && test(line))
          const syncs = lines.flatMap((line, begin) => {
            if (!line.includes("fsync(") || !line.includes(`<${shard}>`)) return []
            const thread = line.split(" ")[0] ?? ""
            const isResumed = (later: string) => later.startsWith(`${thread} `) && later.includes("fsync resumed")
            return [{ begin, end: line.includes("unfinished") ? indexOf(isResumed, begin) : begin }]
          })
          if (how === "whole") assert.strictEqual(syncs.length, 1)
          else assert.isBelow(syncs.length, count)
          for (const [index, key] of keys) {
            const blob = key.split("/")[2] ?? ""
            const renamed = indexOf((line) => line.includes("rename(") && line.includes(`${shard}/${blob}"`))
            const answered = indexOf((line) => line.includes(`write(1<`) && line.includes(`"acknowledged ${index} `))
            assert.isAtLeast(renamed, 0)
            assert.isTrue(
              syncs.some(({ begin, end }) => begin > renamed && end < answered),
              `${blob} was acknowledged without a sync of its name`
            )
          }
        })
    )

    it.live(`put, ${how}: shared sync of the directory fails → each upload that waits for it fails, no file left`, () =>
      Effect.gen(function* () {
        const { data, log, shard } = yield* setUp
        const program = yield* Program.start(
          "putTogether.ts",
          [data, `${count}`, how],
          Strace.failAt(log, "fsync", shard, "EIO")
        )
        const { code, stdout, stderr } = yield* program.ended
        assert.strictEqual(code, 0, stderr)
        assert.deepStrictEqual(
          stdout.trim().split("\n"),
          Array.from({ length: count }, (_, index) => `failed ${index} Unavailable`)
        )
        assert.deepStrictEqual(Fs.readdirSync(shard), [])
        assert.deepStrictEqual(Fs.readdirSync(`${data}/tmp`), [])
      })
    )
  }
})
