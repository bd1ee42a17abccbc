import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as BodyReader from "../../src/transfer/upload/BodyReader.ts"

const KiB = 1024

/** A source that the test drives, and the calls that it received. */
const manualSource = () => {
  const calls: Array<string> = []
  let sink: BodyReader.Sink | undefined
  const source: BodyReader.Source = {
    start: (started) => {
      calls.push("start")
      sink = started
    },
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
    stop: () => calls.push("stop")
  }
  return {
    calls,
    source,
    push: (...sizes: ReadonlyArray<number>) => {
      for (const size of sizes) sink?.chunk(new Uint8Array(size))
    },
    end: () => sink?.end(),
    abort: () => sink?.abort(new Error("gone"))
  }
}

const limits: BodyReader.Limits = { limit: Infinity, length: undefined, idle: 1000 }

const sizes = (exit: Exit.Exit<ReadonlyArray<Uint8Array>, unknown> | undefined): unknown => {
  if (exit === undefined) return "pending"
  if (Exit.isSuccess(exit)) return exit.value.map((chunk) => chunk.length)
  const [reason] = exit.cause.reasons
  const error = reason?._tag === "Fail" ? reason.error : reason
  return typeof error === "object" && error !== null && "_tag" in error ? error._tag : error
}

/** Starts a pull. The returned function gives its current state: pending, the sizes of its chunks, or its error. */
const startPull = (reader: BodyReader.Reader) => {
  const fiber = Effect.runFork(reader.pull)
  return () => sizes(fiber.pollUnsafe())
}

/** Pulls one chunk of this size, which the source pushes while the pull waits. */
const pullChunk = (reader: BodyReader.Reader, body: ReturnType<typeof manualSource>, size: number): void => {
  const pull = startPull(reader)
  body.push(size)
  vi.advanceTimersByTime(0)
  assert.deepStrictEqual(pull(), [size])
}

describe("BodyReader", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("pull: the first starts the source; each returns all buffered chunks, then Done", () => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, limits)
    assert.deepStrictEqual(body.calls, [])
    const first = startPull(reader)
    assert.deepStrictEqual(body.calls, ["start"])
    body.push(1, 2, 3)
    assert.strictEqual(first(), "pending")
    vi.advanceTimersByTime(0)
    assert.deepStrictEqual(first(), [1, 2, 3])
    body.push(4, 5)
    assert.deepStrictEqual(startPull(reader)(), [4, 5])
    body.push(6)
    body.end()
    assert.deepStrictEqual(startPull(reader)(), [6])
    assert.strictEqual(startPull(reader)(), "Done")
    assert.strictEqual(startPull(reader)(), "Done")
  })

  it("pull: 256 KiB buffered → resumes before the end of the turn", () => {
    const body = manualSource()
    const first = startPull(BodyReader.make(body.source, limits))
    body.push(128 * KiB, 128 * KiB)
    assert.deepStrictEqual(first(), [128 * KiB, 128 * KiB])
  })

  it("body ends → the pull resumes before the end of the turn", () => {
    const body = manualSource()
    const first = startPull(BodyReader.make(body.source, limits))
    body.push(1)
    body.end()
    assert.deepStrictEqual(first(), [1])
  })

  it("1 MiB buffered → the source is paused, and resumed by the next pull", () => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, limits)
    pullChunk(reader, body, 1)
    for (let i = 0; i < 15; i++) body.push(64 * KiB)
    assert.deepStrictEqual(body.calls, ["start"])
    body.push(64 * KiB, 64 * KiB)
    assert.deepStrictEqual(body.calls, ["start", "pause"])
    assert.lengthOf(startPull(reader)() as ReadonlyArray<number>, 17)
    assert.deepStrictEqual(body.calls, ["start", "pause", "resume"])
  })

  it("body of exactly the limit → accepted; one byte more → ContentTooLarge, the source is stopped", () => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, { ...limits, limit: 10 })
    pullChunk(reader, body, 10)
    const second = startPull(reader)
    body.push(1)
    assert.strictEqual(second(), "ContentTooLarge")
    assert.deepStrictEqual(body.calls, ["start", "stop"])
    assert.strictEqual(startPull(reader)(), "ContentTooLarge")
  })

  it.each([
    { length: 5, pushed: [2, 3], ends: ["Done"] },
    { length: 5, pushed: [2, 2], ends: ["LengthMismatch"] },
    { length: 5, pushed: [2, 4], ends: ["LengthMismatch"] },
    { length: 0, pushed: [], ends: ["Done"] },
    { length: 1, pushed: [], ends: ["LengthMismatch"] }
  ])("declared length: %j", ({ ends, length, pushed }) => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, { ...limits, length })
    const seen = [startPull(reader)]
    body.push(...pushed)
    body.end()
    while (Array.isArray(seen.at(-1)!())) seen.push(startPull(reader))
    assert.deepStrictEqual([seen.at(-1)!()], ends)
  })

  it("source aborts → the buffered chunks, then BodyAborted", () => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, limits)
    const first = startPull(reader)
    body.push(1)
    body.abort()
    body.abort()
    assert.deepStrictEqual(first(), [1])
    assert.strictEqual(startPull(reader)(), "BodyAborted")
  })

  it("idle time: no byte in one wait → BodyStalled; each wait starts anew", () => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, limits)
    for (let round = 0; round < 3; round++) {
      const next = startPull(reader)
      vi.advanceTimersByTime(999)
      assert.strictEqual(next(), "pending")
      body.push(1)
      vi.advanceTimersByTime(0)
      assert.deepStrictEqual(next(), [1])
    }
    const last = startPull(reader)
    vi.advanceTimersByTime(999)
    assert.strictEqual(last(), "pending")
    vi.advanceTimersByTime(1)
    assert.strictEqual(last(), "BodyStalled")
    assert.deepStrictEqual(body.calls, ["start", "stop"])
  })

  it("idle time: no pull waits → the time does not count", () => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, limits)
    pullChunk(reader, body, 1)
    vi.advanceTimersByTime(100_000)
    const second = startPull(reader)
    assert.strictEqual(second(), "pending")
    vi.advanceTimersByTime(999)
    assert.strictEqual(second(), "pending")
    vi.advanceTimersByTime(1)
    assert.strictEqual(second(), "BodyStalled")
  })

  it("pull interrupted → the next one works; stopped → no timer is left", async () => {
    const body = manualSource()
    const reader = BodyReader.make(body.source, limits)
    const fiber = Effect.runFork(reader.pull)
    await Effect.runPromise(Fiber.interrupt(fiber))
    body.push(7)
    assert.deepStrictEqual(startPull(reader)(), [7])
    const waiting = startPull(reader)
    assert.strictEqual(vi.getTimerCount(), 1)
    reader.stop()
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.strictEqual(waiting(), "pending")
    assert.deepStrictEqual(body.calls, ["start", "stop"])
  })

  it("stop before the first pull → the source is not called", () => {
    const body = manualSource()
    BodyReader.make(body.source, limits).stop()
    assert.deepStrictEqual(body.calls, [])
  })
})
