import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as BodyReader from "@holdfast/http/transfer/upload/BodyReader"

const KiB = 1024

/** A source in the test's hands. */
const manual = () => {
  const calls: Array<string> = []
  let sink: BodyReader.Sink | undefined
  const source: BodyReader.Source = {
    start: (given) => {
      calls.push("start")
      sink = given
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
  if (exit === undefined) return "waits"
  if (Exit.isSuccess(exit)) return exit.value.map((chunk) => chunk.length)
  const [reason] = exit.cause.reasons
  const error = reason?._tag === "Fail" ? reason.error : reason
  return typeof error === "object" && error !== null && "_tag" in error ? error._tag : error
}

/** Pulls once; what came, as soon as the event loop has turned. */
const pulling = (reader: BodyReader.Reader) => {
  const fiber = Effect.runFork(reader.pull)
  return () => sizes(fiber.pollUnsafe())
}

describe("BodyReader", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("starts the source with the first pull, and hands over what has come as one array", () => {
    const body = manual()
    const reader = BodyReader.make(body.source, limits)
    assert.deepStrictEqual(body.calls, [])
    const first = pulling(reader)
    assert.deepStrictEqual(body.calls, ["start"])
    body.push(1, 2, 3)
    assert.strictEqual(first(), "waits")
    vi.advanceTimersByTime(0)
    assert.deepStrictEqual(first(), [1, 2, 3])
    body.push(4, 5)
    assert.deepStrictEqual(pulling(reader)(), [4, 5])
    body.push(6)
    body.end()
    assert.deepStrictEqual(pulling(reader)(), [6])
    assert.strictEqual(pulling(reader)(), "Done")
    assert.strictEqual(pulling(reader)(), "Done")
  })

  it("does not wait for the turn's end with enough in hand", () => {
    const body = manual()
    const first = pulling(BodyReader.make(body.source, limits))
    body.push(128 * KiB, 128 * KiB)
    assert.deepStrictEqual(first(), [128 * KiB, 128 * KiB])
  })

  it("ends at once, before the turn does", () => {
    const body = manual()
    const first = pulling(BodyReader.make(body.source, limits))
    body.push(1)
    body.end()
    assert.deepStrictEqual(first(), [1])
  })

  it("pauses the source while a MiB waits, and resumes it when that is taken", () => {
    const body = manual()
    const reader = BodyReader.make(body.source, limits)
    const first = pulling(reader)
    body.push(1)
    vi.advanceTimersByTime(0)
    assert.deepStrictEqual(first(), [1])
    for (let i = 0; i < 15; i++) body.push(64 * KiB)
    assert.deepStrictEqual(body.calls, ["start"])
    body.push(64 * KiB, 64 * KiB)
    assert.deepStrictEqual(body.calls, ["start", "pause"])
    assert.lengthOf(pulling(reader)() as ReadonlyArray<number>, 17)
    assert.deepStrictEqual(body.calls, ["start", "pause", "resume"])
  })

  it("takes exactly the limit, and fails with the first byte above it", () => {
    const body = manual()
    const reader = BodyReader.make(body.source, { ...limits, limit: 10 })
    const first = pulling(reader)
    body.push(10)
    vi.advanceTimersByTime(0)
    assert.deepStrictEqual(first(), [10])
    const second = pulling(reader)
    body.push(1)
    assert.strictEqual(second(), "ContentTooLarge")
    assert.deepStrictEqual(body.calls, ["start", "stop"])
    assert.strictEqual(pulling(reader)(), "ContentTooLarge")
  })

  it.each([
    { length: 5, pushed: [2, 3], ends: ["Done"] },
    { length: 5, pushed: [2, 2], ends: ["LengthMismatch"] },
    { length: 5, pushed: [2, 4], ends: ["LengthMismatch"] },
    { length: 0, pushed: [], ends: ["Done"] },
    { length: 1, pushed: [], ends: ["LengthMismatch"] }
  ])("holds the body to its announced length: %j", ({ ends, length, pushed }) => {
    const body = manual()
    const reader = BodyReader.make(body.source, { ...limits, length })
    const seen = [pulling(reader)]
    body.push(...pushed)
    body.end()
    while (Array.isArray(seen.at(-1)!())) seen.push(pulling(reader))
    assert.deepStrictEqual([seen.at(-1)!()], ends)
  })

  it("fails when the source breaks off, after what had come", () => {
    const body = manual()
    const reader = BodyReader.make(body.source, limits)
    const first = pulling(reader)
    body.push(1)
    body.abort()
    body.abort()
    assert.deepStrictEqual(first(), [1])
    assert.strictEqual(pulling(reader)(), "BodyAborted")
  })

  it("gives up when nothing comes for the idle time, counted from each wait anew", () => {
    const body = manual()
    const reader = BodyReader.make(body.source, limits)
    for (let round = 0; round < 3; round++) {
      const next = pulling(reader)
      vi.advanceTimersByTime(999)
      assert.strictEqual(next(), "waits")
      body.push(1)
      vi.advanceTimersByTime(0)
      assert.deepStrictEqual(next(), [1])
    }
    const last = pulling(reader)
    vi.advanceTimersByTime(999)
    assert.strictEqual(last(), "waits")
    vi.advanceTimersByTime(1)
    assert.strictEqual(last(), "BodyStalled")
    assert.deepStrictEqual(body.calls, ["start", "stop"])
  })

  it("does not count the time in which nobody waits", () => {
    const body = manual()
    const reader = BodyReader.make(body.source, limits)
    const first = pulling(reader)
    body.push(1)
    vi.advanceTimersByTime(0)
    assert.deepStrictEqual(first(), [1])
    vi.advanceTimersByTime(100_000)
    const second = pulling(reader)
    assert.strictEqual(second(), "waits")
    vi.advanceTimersByTime(999)
    assert.strictEqual(second(), "waits")
    vi.advanceTimersByTime(1)
    assert.strictEqual(second(), "BodyStalled")
  })

  it("can be interrupted and pulled again, and holds no timer when it has stopped", async () => {
    const body = manual()
    const reader = BodyReader.make(body.source, limits)
    const fiber = Effect.runFork(reader.pull)
    await Effect.runPromise(Fiber.interrupt(fiber))
    body.push(7)
    assert.deepStrictEqual(pulling(reader)(), [7])
    const waiting = pulling(reader)
    assert.strictEqual(vi.getTimerCount(), 1)
    reader.stop()
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.strictEqual(waiting(), "waits")
    assert.deepStrictEqual(body.calls, ["start", "stop"])
  })

  it("stops nothing that was not started", () => {
    const body = manual()
    BodyReader.make(body.source, limits).stop()
    assert.deepStrictEqual(body.calls, [])
  })
})
