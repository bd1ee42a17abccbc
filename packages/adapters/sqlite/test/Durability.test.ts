import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { expect, it } from "@effect/vitest"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

const missing = Requires.command("strace", "-f", "-e", "trace=fsync", "true")
const writer = join(import.meta.dirname, "programs", "writer.ts")

interface Run {
  /** Number of acknowledged files. */
  readonly acknowledged: number
  readonly stderr: string
  /** The lines of strace's log. */
  readonly lines: ReadonlyArray<string>
}

/** Runs the writer under strace until it ends, or kills it when it has acknowledged `count` files. */
const trace = (log: string, options: ReadonlyArray<string>, args: ReadonlyArray<string>, count: number) =>
  Effect.callback<Run>((resume) => {
    const child = spawn("strace", ["-f", "-y", "-o", log, ...options, process.execPath, writer, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      // One thread makes all calls of fsync outside of SQLite, so that strace can count them.
      env: { ...process.env, UV_THREADPOOL_SIZE: "1" }
    })
    let acknowledged = 0
    let stderr = ""
    // strace and the writer are one process group.
    const kill = () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    }
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    createInterface(child.stdout).on("line", () => {
      if (++acknowledged === count) kill()
    })
    child.once("close", () =>
      resume(Effect.sync(() => ({ acknowledged, stderr, lines: readFileSync(log, "utf8").split("\n") })))
    )
    return Effect.sync(kill)
  })

const makeBucket = Effect.gen(function* () {
  const file = yield* Temporary.file
  const bucket = yield* Effect.provide(Fixtures.bucket(), SqliteMetadata.layer({ file }))
  return { file, log: `${file}.trace`, args: [file, bucket.tenantId, bucket.bucketId] }
})

Requires.requires(missing).describe("commits of a SQLite file", () => {
  it.live(
    "file acknowledged → the log was synced after the last page of its commit",
    () =>
      Effect.gen(function* () {
        const { args, log } = yield* makeBucket
        const { lines } = yield* trace(log, ["-e", "trace=pwrite64,fsync,write"], args, 30)
        let [isDirty, pages, acknowledged] = [false, 0, 0]
        for (const line of lines) {
          if (/pwrite64\(\d+<[^>]*-wal>/.test(line)) [isDirty, pages] = [true, pages + 1]
          // The writer waits for each commit, so it writes no page while an fsync runs.
          if (/fsync\(\d+<[^>]*-wal>/.test(line)) isDirty = false
          if (/write\(\d+<[^>]*>, "fil_/.test(line)) {
            expect([isDirty, pages > 0]).toEqual([false, true])
            pages = 0
            acknowledged++
          }
        }
        expect(acknowledged).toBeGreaterThanOrEqual(30)
      }),
    120_000
  )

  it.live(
    "fsync of the log fails → the change is not acknowledged, and fails with MetadataError",
    () =>
      Effect.gen(function* () {
        const { args, file, log } = yield* makeBucket
        const inject = ["-P", `${file}-wal`, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=12"]
        const { acknowledged, lines, stderr } = yield* trace(log, inject, args, 30)
        expect(acknowledged).toBeLessThan(12)
        expect(stderr).toContain("MetadataError")
        expect(lines.filter((line) => line.includes("EIO")).length).toBe(1)
      }),
    120_000
  )
})
