import { describe, expect, it } from "@effect/vitest"
import { ConversionWorkspace } from "@holdfast/core/conversions/worker/ConversionWorkspace"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import process from "node:process"
import * as FsConversionWorkspace from "../src/FsConversionWorkspace.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const bytes = (text: string) => Stream.make(new TextEncoder().encode(text))

/** Opens the workspaces of a directory. */
const open = Effect.fnUntraced(function* (directory: string, forOtherUser = false) {
  const services = yield* Layer.build(Layer.fresh(FsConversionWorkspace.layer({ directory, forOtherUser })))
  return yield* Effect.provideContext(ConversionWorkspace, services)
})

/** Returns the id of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid

describe("FsConversionWorkspace", () => {
  it.effect("make: two workspaces → separate, empty, mode 0700, removed with their scopes", () =>
    Effect.gen(function* () {
      const directory = Path.join(yield* TemporaryDirectory.make, "work")
      const { make } = yield* open(directory)
      const scope = yield* Scope.make()
      const [one, two] = yield* Effect.all([Scope.provide(make, scope), make])
      expect(one.output).not.toBe(two.output)
      for (const path of [one.output, one.source, two.output, two.source]) expect(Fs.readdirSync(path)).toEqual([])
      expect(Fs.statSync(Path.dirname(one.output)).mode & 0o777).toBe(0o700)
      yield* one.addFile({ path: `${one.source}/480p/index0.ts`, localFile: undefined, content: bytes("segment") })
      expect(Fs.readdirSync(directory)).toHaveLength(2)
      yield* Scope.close(scope, Exit.void)
      expect(Fs.readdirSync(directory)).toHaveLength(1)
    })
  )

  it.effect("addFile: local file → linked, readable after the file's removal", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const { addFile, input } = yield* (yield* open(directory)).make
      const blob = Path.join(directory, "blob")
      Fs.writeFileSync(blob, "content")
      yield* addFile({ path: input, localFile: blob, content: Stream.die("not to be read") })
      expect(Fs.statSync(input).ino).toBe(Fs.statSync(blob).ino)
      Fs.rmSync(blob)
      expect(Fs.readFileSync(input, "utf8")).toBe("content")
    })
  )

  it.effect("addFile: for another user → copied, readable by others below a directory that only the owner passes", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const { addFile, input, source } = yield* (yield* open(directory, true)).make
      const blob = Path.join(directory, "blob")
      Fs.writeFileSync(blob, "content", { mode: 0o600 })
      const segment = Path.join(source, "480p", "index0.ts")
      yield* addFile({ path: input, localFile: blob, content: Stream.die("not to be read") })
      yield* addFile({ path: segment, localFile: undefined, content: bytes("segment") })
      const modeOf = (path: string) => Fs.statSync(path).mode & 0o777
      expect(Fs.readFileSync(input, "utf8")).toBe("content")
      expect(modeOf(blob)).toBe(0o600)
      expect([input, segment].map(modeOf)).toEqual([0o644, 0o644])
      expect([source, Path.dirname(segment)].map(modeOf)).toEqual([0o755, 0o755])
      expect(modeOf(Path.dirname(input))).toBe(0o700)
    })
  )

  it.effect(
    "addFile: no local file, or a removed one → written from the stream; the stream's error passes through",
    () =>
      Effect.gen(function* () {
        const directory = yield* TemporaryDirectory.make
        const { addFile, input, source } = yield* (yield* open(directory)).make
        yield* addFile({
          path: input,
          localFile: undefined,
          content: Stream.concat(bytes("one, "), bytes("two"))
        })
        expect(Fs.readFileSync(input, "utf8")).toBe("one, two")
        yield* addFile({ path: `${source}/a`, localFile: Path.join(directory, "gone"), content: bytes("three") })
        expect(Fs.readFileSync(`${source}/a`, "utf8")).toBe("three")
        const failing = addFile({ path: `${source}/b`, localFile: undefined, content: Stream.fail("broken" as const) })
        expect(yield* Effect.flip(failing)).toBe("broken")
      })
  )

  it.effect("read: output file → its bytes; missing file → WorkspaceError", () =>
    Effect.gen(function* () {
      const { output, read } = yield* (yield* open(yield* TemporaryDirectory.make)).make
      Fs.mkdirSync(`${output}/480p`)
      Fs.writeFileSync(`${output}/480p/index0.ts`, "segment")
      const chunks = yield* Stream.runCollect(read("480p/index0.ts"))
      expect(Buffer.concat(chunks).toString()).toBe("segment")
      const missing = Stream.runCollect(read("index1.ts"))
      expect(yield* Effect.flip(missing)).toMatchObject({
        _tag: "WorkspaceError",
        reason: "Internal",
        operation: "read"
      })
    })
  )

  it.effect("open: output file → its size and ranges; missing file → WorkspaceError", () =>
    Effect.gen(function* () {
      const workspace = yield* (yield* open(yield* TemporaryDirectory.make)).make
      Fs.mkdirSync(`${workspace.output}/480p`)
      Fs.writeFileSync(`${workspace.output}/480p/init.m4s`, "segment")
      const { readRange, size } = yield* workspace.open("480p/init.m4s")
      expect(size).toBe(7)
      expect(Buffer.from(yield* readRange({ offset: 1, length: 3 })).toString()).toBe("egm")
      expect(yield* Effect.flip(workspace.open("480p/chunk1.m4s"))).toMatchObject({
        _tag: "WorkspaceError",
        reason: "Internal",
        operation: "open"
      })
    })
  )

  it.effect("layer: workspaces of ended processes → removed; those of running processes and other files stay", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const { make } = yield* open(directory)
      const { output } = yield* make
      const mine = Path.basename(Path.dirname(output))
      const other = "0".repeat(12)
      const living = `conversion-${process.ppid}-${other}-abcdef`
      for (const name of [
        `conversion-${deadPid()}-${other}-a`,
        `conversion-${process.pid}-${other}-b`,
        living,
        "own"
      ]) {
        Fs.mkdirSync(Path.join(directory, name, "output"), { recursive: true })
      }
      yield* open(directory)
      expect(Fs.readdirSync(directory).toSorted()).toEqual([mine, living, "own"].toSorted())
    })
  )
})
