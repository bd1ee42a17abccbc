/**
 * Wraps a BlobStore so that it fails, waits or truncates contents where a test says so. Without faults it changes nothing.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as BlobFaults from "./BlobFaults.ts"

type Store = BlobStore.BlobStore["Service"]

type Content<E, R> = Stream.Stream<Uint8Array, E, R>

export interface Faulty {
  readonly store: Store
  readonly faults: BlobFaults.BlobFaults["Service"]
}

/** Returns the first `bytes` bytes of a stream, followed by `end` if the stream has that many. */
const takeBytes = <E, R, E2>(
  content: Content<E, R>,
  bytes: number,
  end: Stream.Stream<never, E2>
): Content<E | E2, R> =>
  Stream.suspend(() => {
    if (bytes <= 0) return end
    let reached = false
    return content.pipe(
      Stream.mapAccum(
        () => bytes,
        (left, chunk) => [left - chunk.byteLength, [{ chunk: chunk.subarray(0, left), last: chunk.byteLength >= left }]]
      ),
      Stream.takeUntil(({ last }) => {
        reached = last
        return last
      }),
      Stream.map(({ chunk }) => chunk),
      Stream.concat(Stream.suspend(() => (reached ? end : Stream.empty)))
    )
  })

/** Wraps a store. `localFile` returns undefined, because a caller that opens a blob's file itself would bypass the faults. */
export const make = (inner: Store): Faulty => {
  let active: Array<BlobFaults.Fault & { count: number }> = []
  const calls = new Map<BlobFaults.Method, number>()

  /** Counts a call and returns the actions that apply to it. */
  const actionsFor = (method: BlobFaults.Method, key: string): ReadonlyArray<BlobFaults.Action> => {
    calls.set(method, (calls.get(method) ?? 0) + 1)
    return active.flatMap((fault) => {
      if (fault.method !== method || fault.key?.(key) === false) return []
      fault.count++
      return fault.calls?.(fault.count) === false ? [] : [fault.action]
    })
  }

  const error = (operation: string, reason: BlobError.Reason) =>
    new BlobError.BlobError({ reason, operation, cause: new Error("an injected fault") })

  const wrapContent =
    (operation: string) =>
    <E, R>(self: Content<E, R>, action: BlobFaults.Action): Content<E | BlobError.BlobError, R> =>
      action._tag === "FailAfter"
        ? takeBytes(self, action.bytes, Stream.fail(error(operation, action.reason)))
        : action._tag === "CutAfter"
          ? takeBytes(self, action.bytes, Stream.empty)
          : self

  const wrapCall =
    (operation: string) =>
    <A, E, R>(
      self: Effect.Effect<A, E | BlobError.BlobError, R>,
      action: BlobFaults.Action
    ): Effect.Effect<A, E | BlobError.BlobError, R> => {
      switch (action._tag) {
        case "Before":
          return Effect.andThen(action.effect, self)
        case "Fail":
          return Effect.fail(error(operation, action.reason))
        case "FailUnreported":
          return Effect.andThen(self, Effect.fail(error(operation, action.reason)))
        default:
          return self
      }
    }

  /** The first action wraps all others, so that it applies first. */
  const simple = <A>(method: BlobFaults.Method, key: string, self: Effect.Effect<A, BlobError.BlobError>) =>
    Effect.suspend(() => actionsFor(method, key).reduceRight<typeof self>(wrapCall(method), self))

  const streamed = <A>(
    method: "read" | "list",
    key: string,
    self: Stream.Stream<A, BlobError.BlobError>,
    through: (stream: typeof self, action: BlobFaults.Action) => typeof self
  ): typeof self =>
    Stream.unwrap(
      Effect.suspend(() =>
        actionsFor(method, key).reduceRight<Effect.Effect<typeof self, BlobError.BlobError>>(
          (next, action) =>
            action._tag === "FailUnreported"
              ? Effect.map(next, Stream.concat(Stream.fail(error(method, action.reason))))
              : Effect.map(wrapCall(method)(next, action), (stream) => through(stream, action)),
          Effect.succeed(self)
        )
      )
    )

  const store = BlobStore.BlobStore.of({
    put: <E, R>(key: string, source: Content<E, R>) =>
      Effect.suspend(() => {
        const actions = actionsFor("put", key)
        const faulty = actions.reduce<Content<E | BlobError.BlobError, R>>(wrapContent("put"), source)
        return actions.reduceRight<Effect.Effect<BlobStore.BlobReceipt, E | BlobError.BlobError, R>>(
          wrapCall("put"),
          inner.put(key, faulty)
        )
      }),
    read: (key, options) => streamed("read", key, inner.read(key, options), wrapContent("read")),
    stat: (key) => simple("stat", key, inner.stat(key)),
    remove: (key) => simple("remove", key, inner.remove(key)),
    list: (prefix) => streamed("list", prefix, inner.list(prefix), (stream) => stream),
    localFile: () => undefined,
    check: simple("check", "", inner.check),
    capabilities: { ...inner.capabilities, localFiles: false }
  })

  return {
    store,
    faults: {
      inject: (fault) => Effect.sync(() => void (active = [...active, { ...fault, count: 0 }])),
      clear: Effect.sync(() => void (active = [])),
      calls: (method) => Effect.sync(() => calls.get(method) ?? 0)
    }
  }
}

/** The wrapped store and the control of its faults. */
export const layer: Layer.Layer<BlobStore.BlobStore | BlobFaults.BlobFaults, never, BlobStore.BlobStore> =
  Layer.effectContext(
    Effect.map(BlobStore.BlobStore, (inner) => {
      const { store, faults } = make(inner)
      return Context.make(BlobStore.BlobStore, store).pipe(Context.add(BlobFaults.BlobFaults, faults))
    })
  )
