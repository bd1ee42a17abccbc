import { assert, describe, it } from "@effect/vitest"
import type * as Chunker from "@holdfast/core/storage/Chunker"
import * as MultipartUpload from "@holdfast/core/storage/MultipartUpload"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

const partBytes = ChunkedContents.partBytes

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex")

const makeHasher = (): MultipartUpload.ContentHasher<string, string> => {
  const content = createHash("sha256")
  let part = createHash("md5")
  return {
    update: (bytes) => {
      content.update(bytes)
      part.update(bytes)
    },
    endPart: () => {
      const digest = part.digest("hex")
      part = createHash("md5")
      return digest
    },
    endContent: () => content.digest("hex")
  }
}

type Part = Chunker.Part<string>

/** A store that records its requests, and whose answers a test replaces. */
const makeStore = () => {
  const requests: Array<string> = []
  const sent = new Map<number, Buffer>()
  const memories = new Set<ArrayBufferLike>()
  let inFlight = 0
  let maxInFlight = 0
  const keep = (part: Part) => {
    assert.strictEqual(part.digests, md5(part.bytes))
    memories.add(part.bytes.buffer)
    sent.set(part.index, Buffer.from(part.bytes))
  }
  const sendPart = (_upload: string, part: Part): Effect.Effect<number, string> =>
    Effect.gen(function* () {
      maxInFlight = Math.max(maxInFlight, ++inFlight)
      requests.push(`part ${part.index}`)
      // Parts finish in another order than they begin in.
      for (let turn = 0; turn < (part.index % 3) * 5; turn++) yield* Effect.yieldNow
      keep(part)
      inFlight--
      return part.index
    })
  const options = {
    partBytes,
    maxWholeBytes: partBytes - 1,
    makeHasher,
    sendWhole: (part: Part): Effect.Effect<string, string> =>
      Effect.sync(() => {
        requests.push("whole")
        keep(part)
        return "whole"
      }),
    begin: Effect.sync(() => {
      requests.push("begin")
      return "upload"
    }),
    abort: () => Effect.sync(() => void requests.push("abort")),
    concurrency: 3,
    sendPart,
    complete: (_upload: string, parts: ReadonlyArray<number>): Effect.Effect<string, string> =>
      Effect.sync(() => {
        requests.push(`complete ${parts.join()}`)
        return "parts"
      })
  }
  const sequential = {
    ...options,
    sendPart: (upload: string, part: Part) => Effect.asVoid(sendPart(upload, part)),
    complete: (_upload: string, last: Part): Effect.Effect<string, string> =>
      Effect.sync(() => {
        requests.push(`complete ${last.index}`)
        keep(last)
        return "parts"
      })
  }
  return {
    options,
    sequential,
    requests,
    memories,
    maxInFlight: () => maxInFlight,
    stored: () => Buffer.concat([...sent].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes))
  }
}

/** A content of three parts, followed by `end`. */
const threeParts = <E>(end: Stream.Stream<Uint8Array, E>) => Stream.concat(Generate.stream(1, 2.5 * partBytes), end)

/** An effect that reports that it runs, and then waits for the test. */
const barrier = Effect.gen(function* () {
  const reached = yield* Deferred.make<void>()
  const opened = yield* Deferred.make<void>()
  return {
    reached: Deferred.await(reached),
    open: Deferred.succeed(opened, undefined),
    pass: Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened))
  }
})

/** Interrupts an upload while it waits at a barrier. Opens the barrier after the interruption has begun. */
const interruptAt = <A, E>(
  uploading: Effect.Effect<A, E>,
  { open, reached }: Effect.Success<typeof barrier>
): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(uploading)
    yield* reached
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
    yield* open
    yield* Fiber.join(interrupting)
    return yield* Fiber.await(fiber)
  })

describe("MultipartUpload", () => {
  it.effect.each(ChunkedContents.cases)(
    "%i bytes in chunks of %j → stored in both modes, with digests",
    ([size, sizes]) =>
      Effect.gen(function* () {
        const content = Generate.bytes(1, size)
        for (const mode of ["concurrent", "sequential"] as const) {
          const store = makeStore()
          const source = Generate.stream(1, size, sizes)
          const { content: summary, stored } = yield* mode === "concurrent"
            ? MultipartUpload.concurrent(source, store.options)
            : MultipartUpload.sequential(source, store.sequential)
          assert.deepStrictEqual(summary, { size, digests: Generate.sha256(content) })
          assert.isTrue(store.stored().equals(content))
          assert.strictEqual(stored, size < partBytes ? "whole" : "parts")
          const count = Math.ceil(size / partBytes)
          const numbers = Array.from({ length: count }, (_, index) => index)
          const last = mode === "concurrent" ? `complete ${numbers.join()}` : `complete ${count - 1}`
          if (size < partBytes) assert.deepStrictEqual(store.requests, ["whole"])
          else {
            assert.strictEqual(store.requests[0], "begin")
            assert.strictEqual(store.requests.at(-1), last)
          }
          if (mode === "sequential") assert.isAtMost(store.maxInFlight(), 1)
        }
      })
  )

  it.effect.each([
    [partBytes, partBytes, "whole"],
    [partBytes, partBytes - 1, "parts"],
    [partBytes + 1, partBytes, "parts"]
  ] as const)("%i bytes, maxWholeBytes %i → sent as %s", ([size, maxWholeBytes, expected]) =>
    Effect.gen(function* () {
      const { options } = makeStore()
      const { stored } = yield* MultipartUpload.concurrent(Generate.stream(1, size), { ...options, maxWholeBytes })
      assert.strictEqual(stored, expected)
    })
  )

  it.effect.each([1, 3, 5])("concurrency %i → as many parts in flight, and as many buffers", (concurrency) =>
    Effect.gen(function* () {
      const { maxInFlight, memories, options } = makeStore()
      const size = 20 * partBytes
      yield* MultipartUpload.concurrent(Generate.stream(1, size), { ...options, concurrency, expectedBytes: size })
      assert.strictEqual(maxInFlight(), concurrency)
      assert.strictEqual(memories.size, concurrency)
    })
  )

  it.effect("sequential → two buffers", () =>
    Effect.gen(function* () {
      const { memories, sequential } = makeStore()
      const size = 20 * partBytes
      yield* MultipartUpload.sequential(Generate.stream(1, size), { ...sequential, expectedBytes: size })
      assert.strictEqual(memories.size, 2)
    })
  )

  it.effect("sequential → the next part is read while one is sent", () =>
    Effect.gen(function* () {
      const { sequential } = makeStore()
      const read = yield* Deferred.make<void>()
      const source = Stream.concat(
        Generate.stream(1, 1.5 * partBytes),
        Stream.drain(Stream.fromEffect(Deferred.succeed(read, undefined)))
      )
      yield* MultipartUpload.sequential(source, { ...sequential, sendPart: () => Deferred.await(read) })
    })
  )
})

describe("MultipartUpload: failures", () => {
  it.effect.each([1000, 3 * partBytes])("upload of %i bytes run again after a failure → stored", (size) =>
    Effect.gen(function* () {
      const { options, stored } = makeStore()
      let failures = 1
      const source = Stream.concat(
        Generate.stream(1, size),
        Stream.suspend(() => (failures-- > 0 ? Stream.fail("cut") : Stream.empty))
      )
      const { content } = yield* Effect.retry(MultipartUpload.concurrent(source, options), { times: 1 })
      assert.strictEqual(content.digests, Generate.sha256(Generate.bytes(1, size)))
      assert.isTrue(stored().equals(Generate.bytes(1, size)))
    })
  )

  it.effect.each(["concurrent", "sequential"] as const)("%s, content fails → aborted, its own error", (mode) =>
    Effect.gen(function* () {
      const store = makeStore()
      const source = threeParts(Stream.fail("cut"))
      const error = yield* Effect.flip(
        mode === "concurrent"
          ? MultipartUpload.concurrent(source, store.options)
          : MultipartUpload.sequential(source, store.sequential)
      )
      assert.strictEqual(error, "cut")
      assert.strictEqual(store.requests.at(-1), "abort")
      assert.isFalse(store.requests.some((request) => request.startsWith("complete")))
    })
  )

  it.effect("content fails in its first part → no request", () =>
    Effect.gen(function* () {
      const { options, requests } = makeStore()
      const source = Stream.concat(Generate.stream(1, 1000), Stream.fail("cut"))
      assert.strictEqual(yield* Effect.flip(MultipartUpload.concurrent(source, options)), "cut")
      assert.deepStrictEqual(requests, [])
    })
  )

  it.effect("content dies → aborted, its own defect", () =>
    Effect.gen(function* () {
      const { options, requests } = makeStore()
      const exit = yield* Effect.exit(MultipartUpload.concurrent(threeParts(Stream.die("a bug")), options))
      assert.isTrue(Exit.hasDies(exit))
      assert.strictEqual(requests.at(-1), "abort")
    })
  )

  it.effect.each(["begin", "sendPart", "complete"] as const)(
    "%s fails → its error; aborted if the upload had begun",
    (step) =>
      Effect.gen(function* () {
        const { options, requests } = makeStore()
        const failing = step === "begin" ? Effect.fail("down") : () => Effect.fail("down")
        const error = yield* Effect.flip(
          MultipartUpload.concurrent(threeParts(Stream.empty), { ...options, [step]: failing })
        )
        assert.strictEqual(error, "down")
        assert.strictEqual(requests.at(-1), step === "begin" ? undefined : "abort")
        assert.strictEqual(requests.filter((request) => request === "abort").length, step === "begin" ? 0 : 1)
      })
  )

  it.effect.each([1000, 3 * partBytes])("content of %i bytes is rejected → nothing is made visible", (size) =>
    Effect.gen(function* () {
      const { options, requests } = makeStore()
      const rejecting = { ...options, reject: (content: { readonly size: number }) => `no ${content.size}` }
      const error = yield* Effect.flip(MultipartUpload.concurrent(Generate.stream(1, size), rejecting))
      assert.strictEqual(error, `no ${size}`)
      assert.isFalse(requests.some((request) => request === "whole" || request.startsWith("complete")))
      assert.strictEqual(requests.at(-1), size < partBytes ? undefined : "abort")
    })
  )

  it.effect("confirm fails → its error, neither aborted nor undone", () =>
    Effect.gen(function* () {
      const { options, requests } = makeStore()
      const error = yield* Effect.flip(
        MultipartUpload.concurrent(threeParts(Stream.empty), {
          ...options,
          confirm: (stored) => Effect.fail(`other bytes: ${stored}`),
          undo: () => Effect.sync(() => void requests.push("undo"))
        })
      )
      assert.strictEqual(error, "other bytes: parts")
      assert.strictEqual(requests.at(-1), "complete 0,1,2")
    })
  )
})

describe("MultipartUpload: interruptions", () => {
  it.effect("while the content is read → aborted, and nothing is made visible", () =>
    Effect.gen(function* () {
      const { options, requests } = makeStore()
      const atEnd = yield* barrier
      const source = threeParts(Stream.drain(Stream.fromEffect(Effect.andThen(atEnd.pass, Effect.never))))
      yield* interruptAt(MultipartUpload.concurrent(source, options), atEnd)
      assert.strictEqual(requests.at(-1), "abort")
      assert.isFalse(requests.some((request) => request.startsWith("complete")))
    })
  )

  it.effect("while a part is sent → aborted", () =>
    Effect.gen(function* () {
      const { options, requests } = makeStore()
      const sending = yield* barrier
      const uploading = MultipartUpload.concurrent(threeParts(Stream.empty), {
        ...options,
        sendPart: () => Effect.as(sending.pass, 0)
      })
      yield* interruptAt(uploading, sending)
      assert.strictEqual(requests.at(-1), "abort")
    })
  )

  it.effect.each([
    [1000, true],
    [1000, false],
    [3 * partBytes, true],
    [3 * partBytes, false]
  ] as const)(
    "%i bytes, during the last request → its answer is awaited, then undone if possible (%s)",
    ([size, undoes]) =>
      Effect.gen(function* () {
        const { options, requests } = makeStore()
        const last = yield* barrier
        const exit = yield* interruptAt(
          MultipartUpload.concurrent(Generate.stream(1, size), {
            ...options,
            sendWhole: (part) => Effect.andThen(last.pass, options.sendWhole(part)),
            complete: (upload, parts) => Effect.andThen(last.pass, options.complete(upload, parts)),
            ...(undoes ? { undo: (stored: string) => Effect.sync(() => void requests.push(`undo ${stored}`)) } : {})
          }),
          last
        )
        assert.isTrue(Exit.hasInterrupts(exit))
        const answered = size < partBytes ? "whole" : "complete 0,1,2"
        const undone = size < partBytes ? "undo whole" : "undo parts"
        assert.deepStrictEqual(requests.slice(undoes ? -2 : -1), undoes ? [answered, undone] : [answered])
        assert.notInclude(requests, "abort")
      })
  )

  it.effect.each([
    ["whole content", 1000, "sendWhole", []],
    ["first request", 3 * partBytes, "begin", []],
    ["last request", 3 * partBytes, "complete", ["abort"]]
  ] as const)("isInterruptible, during the request of the %s → it is aborted", ([, size, step, expected]) =>
    Effect.gen(function* () {
      const { options, requests } = makeStore()
      const begun = yield* Deferred.make<void>()
      const hanging = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const uploading = MultipartUpload.concurrent(Generate.stream(1, size), {
        ...options,
        isInterruptible: true,
        [step]: step === "begin" ? hanging : () => hanging
      })
      const fiber = yield* Effect.forkChild(uploading)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        requests.filter((request) => request !== "begin" && !request.startsWith("part")),
        [...expected]
      )
    })
  )
})

describe("MultipartUpload.run", () => {
  it.effect.each(["done", "failed", "interrupted"] as const)("send is %s → completed, or aborted", (end) =>
    Effect.gen(function* () {
      const requests: Array<string> = []
      const sending = yield* barrier
      const running = MultipartUpload.run({
        begin: Effect.succeed(1),
        send: (upload) =>
          end === "done" ? Effect.succeed(upload + 1) : Effect.andThen(sending.pass, Effect.fail("down")),
        complete: (upload, sent) => Effect.sync(() => void requests.push(`complete ${upload} ${sent}`)),
        abort: (upload) => Effect.sync(() => void requests.push(`abort ${upload}`))
      })
      if (end === "interrupted") yield* interruptAt(running, sending)
      else {
        yield* sending.open
        yield* Effect.exit(running)
      }
      assert.deepStrictEqual(requests, [end === "done" ? "complete 1 2" : "abort 1"])
    })
  )
})
