import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import NodeFs from "node:fs"
import * as Fsp from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as LineWriter from "../../src/server/listener/LineWriter.ts"
import { makeDirectory } from "../support/Process.ts"

const formatLost = (count: number) => `${count} lost`

const open = async () => {
  const path = Path.join(await makeDirectory(), "log")
  return { path, descriptor: Fs.openSync(path, "a") }
}

it("LineWriter: scope closed → every line written, in order", async () => {
  const { descriptor, path } = await open()
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} ${"x".repeat(i % 50)}`)
  await Effect.runPromise(
    Effect.scoped(
      Effect.map(LineWriter.make({ descriptor, isShared: false, formatLost }), ({ write }) => {
        for (const line of lines) write(line)
      })
    )
  )
  Fs.closeSync(descriptor)
  expect(await Fsp.readFile(path, "utf8")).toBe(`${lines.join("\n")}\n`)
})

it("LineWriter: more lines than its capacity before a flush → further lines dropped and counted", async () => {
  const { descriptor, path } = await open()
  const line = "x".repeat(1024 * 1024)
  await Effect.runPromise(
    Effect.scoped(
      Effect.map(LineWriter.make({ descriptor, isShared: false, formatLost }), ({ write }) => {
        for (let i = 0; i < 20; i++) write(line)
      })
    )
  )
  Fs.closeSync(descriptor)
  const written = (await Fsp.readFile(path, "utf8")).split("\n")
  const kept = written.filter((text) => text === line).length
  expect(written).toContain(`${20 - kept} lost`)
  expect(kept).toBeGreaterThan(7)
  expect(kept).toBeLessThan(20)
})

type Written = (error: NodeJS.ErrnoException | null, count: number) => void

/** Writes to a descriptor as a disk that has room for this many bytes, is full for the next call, and then has room again. */
const fillDisk = (descriptor: number, room: number, failure: NodeJS.ErrnoException | null) => {
  const { write } = NodeFs
  let left = room
  let failures = 0
  const writeUntilFull = (target: number, bytes: Buffer, offset: number, length: number, at: null, done: Written) => {
    if (target !== descriptor || failures > 0) return write(target, bytes, offset, length, at, done)
    if (left === 0) return setImmediate(() => done(failure, ++failures - 1))
    const most = Math.min(left, length)
    left -= most
    write(target, bytes, offset, most, at, done)
  }
  Object.assign(NodeFs, { write: writeUntilFull })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(NodeFs, { write })
    syncBuiltinESMExports()
  })
  return Effect.promise(() => expect.poll(() => failures).toBe(1))
}

const noSpace = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })

it.each([
  ["full", noSpace],
  ["a write of no byte", null]
])(
  "LineWriter: disk is %s within a line → its lines counted, later ones begin a line of their own",
  async (_, failure) => {
    const { descriptor, path } = await open()
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { write } = yield* LineWriter.make({ descriptor, isShared: false, formatLost })
          const failed = fillDisk(descriptor, "first\nsec".length, failure)
          for (const line of ["first", "second", "third"]) write(line)
          yield* failed
          write("fourth")
        })
      )
    )
    Fs.closeSync(descriptor)
    expect(await Fsp.readFile(path, "utf8")).toBe("first\nsec\nfourth\n2 lost\n")
  }
)

it("LineWriter: disk is full before the scope is closed → the number of lost lines is written last", async () => {
  const { descriptor, path } = await open()
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { write } = yield* LineWriter.make({ descriptor, isShared: true, formatLost })
        const failed = fillDisk(descriptor, 0, noSpace)
        for (const line of ["first", "second", "third"]) write(line)
        yield* failed
      })
    )
  )
  Fs.closeSync(descriptor)
  expect(await Fsp.readFile(path, "utf8")).toBe("3 lost\n")
})

it("LineWriter: descriptor closed → lines discarded without an error", async () => {
  const { descriptor } = await open()
  Fs.closeSync(descriptor)
  await Effect.runPromise(
    Effect.scoped(
      Effect.map(LineWriter.make({ descriptor, isShared: false, formatLost }), ({ write }) => write("into nothing"))
    )
  )
})
