import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Fsp from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
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

it("LineWriter: descriptor closed → lines discarded without an error", async () => {
  const { descriptor } = await open()
  Fs.closeSync(descriptor)
  await Effect.runPromise(
    Effect.scoped(
      Effect.map(LineWriter.make({ descriptor, isShared: false, formatLost }), ({ write }) => write("into nothing"))
    )
  )
})
