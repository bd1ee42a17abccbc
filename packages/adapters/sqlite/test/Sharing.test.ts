import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { describe, expect, it } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Sqlite from "../src/Sqlite.ts"
import * as Temporary from "./support/Temporary.ts"

const missing = Requires.command("strace", "-f", "-e", "trace=fsync", "true")
const member = join(import.meta.dirname, "programs", "member.ts")
const mebibyte = 1024 * 1024

const openStore = Effect.gen(function* () {
  const file = yield* Temporary.file
  const sql = yield* Sqlite.make({ file, sharing: "keeper" })
  yield* sql`CREATE TABLE t (data blob)`
  return { file, sql, log: `${file}.trace` }
})

/** Runs a member under strace, with `insert` for each row that it has read, until it ends or has read `count` rows. */
const readRows = (
  { file, log }: Effect.Success<typeof openStore>,
  options: ReadonlyArray<string>,
  { count, insert }: { readonly count: number; readonly insert: () => void }
) =>
  Effect.callback<{ readonly rows: number; readonly stderr: string; readonly lines: ReadonlyArray<string> }>(
    (resume) => {
      const child = spawn("strace", ["-f", "-y", "-o", log, ...options, process.execPath, member, file], {
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
        env: { ...process.env, UV_THREADPOOL_SIZE: "1" }
      })
      let [rows, stderr] = [0, ""]
      const kill = () => {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
      }
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      createInterface(child.stdout).on("line", (line) => {
        rows = Number(line.slice("rows ".length))
        if (rows >= count) kill()
        else insert()
      })
      child.once("close", () =>
        resume(Effect.sync(() => ({ rows, stderr, lines: readFileSync(log, "utf8").split("\n") })))
      )
      return Effect.sync(kill)
    }
  )

const insertInto = ({ sql }: Effect.Success<typeof openStore>) => {
  return () => void Effect.runFork(sql`INSERT INTO t VALUES (x'00')`)
}

Requires.requires(missing).describe("SQLite file that processes of one service share", () => {
  it.live(
    "commit of another process read → this process has synced the log before",
    () =>
      Effect.gen(function* () {
        const store = yield* openStore
        const { lines, rows } = yield* readRows(store, ["-e", "trace=fsync,write"], {
          count: 20,
          insert: insertInto(store)
        })
        expect(rows).toBe(20)
        let [hasSynced, read] = [false, 0]
        for (const line of lines) {
          if (/fsync\(\d+<[^>]*-wal>/.test(line)) hasSynced = true
          if (!/write\(\d+<[^>]*>, "rows /.test(line)) continue
          expect(hasSynced).toBe(true)
          hasSynced = false
          read++
        }
        expect(read).toBe(21)
      }).pipe(Effect.provide(Reactivity.layer)),
    60_000
  )

  it.live(
    "that sync fails → the read fails",
    () =>
      Effect.gen(function* () {
        const store = yield* openStore
        const inject = ["-P", `${store.file}-wal`, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=5"]
        const { rows, stderr } = yield* readRows(store, inject, { count: 20, insert: insertInto(store) })
        expect(rows).toBeLessThan(5)
        expect(stderr).toContain("SqlError")
      }).pipe(Effect.provide(Reactivity.layer)),
    60_000
  )
})

describe("write-ahead log that processes of one service share", () => {
  it.live(
    "one writes 40 MiB, the keeper nothing → the keeper truncates the log; reads see all",
    () =>
      Effect.gen(function* () {
        const { file, sql } = yield* openStore
        const other = yield* Sqlite.make({ file, sharing: "member" })
        yield* Effect.repeat(other`INSERT INTO t VALUES (zeroblob(65536))`, { times: 639 })
        yield* Effect.promise(() =>
          expect.poll(() => statSync(`${file}-wal`).size, { timeout: 30_000, interval: 50 }).toBeLessThan(mebibyte)
        )
        for (const client of [sql, other]) {
          expect(yield* client`SELECT count(*) AS rows FROM t`).toEqual([{ rows: 640 }])
        }
      }).pipe(Effect.provide(Reactivity.layer)),
    60_000
  )

  it.live(
    "many write at the same time → every change is there, each client reads its own",
    () =>
      Effect.gen(function* () {
        const { file, sql } = yield* openStore
        const other = yield* Sqlite.make({ file, sharing: "member" })
        const writers = Array.from({ length: 8 }, (_, writer) =>
          Effect.forEach(
            Array.from({ length: 25 }, (_, row) => `${writer}-${row}`),
            (data) =>
              Effect.gen(function* () {
                const [own, foreign] = writer % 2 === 0 ? [sql, other] : [other, sql]
                yield* own.withTransaction(own`INSERT INTO t VALUES (${data})`)
                for (const client of [own, foreign]) {
                  expect(yield* client`SELECT count(*) AS rows FROM t WHERE data = ${data}`).toEqual([{ rows: 1 }])
                }
              }),
            { discard: true }
          )
        )
        yield* Effect.all(writers, { concurrency: "unbounded" })
        expect(yield* sql`SELECT count(*) AS rows FROM t`).toEqual([{ rows: 200 }])
      }).pipe(Effect.provide(Reactivity.layer)),
    60_000
  )
})
