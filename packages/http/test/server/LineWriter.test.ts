import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Fsp from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as LineWriter from "../../src/server/listener/LineWriter.ts"
import { directory } from "../support/Process.ts"

const lost = (count: number) => `${count} lost`

const open = async () => {
  const path = Path.join(await directory(), "log")
  return { path, descriptor: Fs.openSync(path, "a") }
}

it("has written every line, in order, when its scope has closed", async () => {
  const { descriptor, path } = await open()
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} ${"x".repeat(i % 50)}`)
  await Effect.runPromise(
    Effect.scoped(
      Effect.map(LineWriter.make(descriptor, lost), ({ write }) => {
        for (const line of lines) write(line)
      })
    )
  )
  Fs.closeSync(descriptor)
  expect(await Fsp.readFile(path, "utf8")).toBe(`${lines.join("\n")}\n`)
})

it("counts the lines that a stalled reader made it lose", async () => {
  const { descriptor, path } = await open()
  const line = "x".repeat(1024 * 1024)
  await Effect.runPromise(
    Effect.scoped(
      Effect.map(LineWriter.make(descriptor, lost), ({ write }) => {
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

it("goes on when nobody reads any more", async () => {
  const { descriptor } = await open()
  Fs.closeSync(descriptor)
  await Effect.runPromise(
    Effect.scoped(Effect.map(LineWriter.make(descriptor, lost), ({ write }) => write("into nothing")))
  )
})
