/**
 * Blob stores for programs without Effect.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Pull from "effect/Pull"
import type * as Context from "effect/Context"
import * as Stream from "effect/Stream"
import * as BuiltinModule from "../deployment/BuiltinModule.ts"
import { BlobError, type Reason } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { type BlobReceipt, BlobStore, type ReadOptions } from "../storage/BlobStore.ts"
import type { BlobStoreDefinition, ListedBlob } from "./BlobStoreDefinition.ts"
import { type ContentSource, toStream } from "./internal/content/ContentSource.ts"
import { checkBlobStore } from "./internal/options/CheckBlobStore.ts"
import type { BlobsAdapter } from "./internal/options/OpenOptions.ts"

interface Sha256 {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: (encoding: "hex") => string
}

const sha256 = (): Sha256 =>
  BuiltinModule.get<{ readonly createHash: (name: "sha256") => Sha256 }>("node:crypto").createHash("sha256")

const reasonOf = (error: unknown): Reason => {
  if (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) return "Internal"
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return code === "ENOSPC" || code === "EDQUOT" ? "StorageFull" : "Unavailable"
}

const toBlobError =
  (operation: string) =>
  (cause: unknown): BlobError =>
    cause instanceof BlobError ? cause : new BlobError({ reason: reasonOf(cause), operation, cause })

const fault = (operation: string, reason: Reason, message: string): BlobError =>
  new BlobError({ reason, operation, cause: new Error(message) })

/** Runs an operation. An interruption fires its signal and waits until it has ended, so that nothing of it happens afterwards. */
const run = <A>(
  operation: string,
  start: (signal: AbortSignal) => Promise<A>,
  controller = new AbortController()
): Effect.Effect<A, BlobError> =>
  Effect.callback((resume) => {
    const ended = new Promise<A>((resolve) => resolve(start(controller.signal))).then(
      (value) => resume(Effect.succeed(value)),
      (error: unknown) => resume(Effect.fail(toBlobError(operation)(error)))
    )
    return Effect.promise(() => {
      controller.abort()
      return ended
    })
  })

/** The content of a `put`, and what has become of it. */
class Content<E, R> implements AsyncIterable<Uint8Array> {
  size = 0
  readonly hash = sha256()
  /** Whether all bytes were read. */
  isComplete = false
  /** Why the content failed, if it did. */
  failure: Cause.Cause<E> | undefined
  readonly #pull: Pull.Pull<ReadonlyArray<Uint8Array>, E, void, R>
  readonly #context: Context.Context<R>
  readonly #signal: AbortSignal

  constructor(
    pull: Pull.Pull<ReadonlyArray<Uint8Array>, E, void, R>,
    context: Context.Context<R>,
    signal: AbortSignal
  ) {
    this.#pull = pull
    this.#context = context
    this.#signal = signal
  }

  /** Returns the next chunks; undefined at the end. */
  async #next(): Promise<ReadonlyArray<Uint8Array> | undefined> {
    this.#signal.throwIfAborted()
    const exit = await Effect.runPromiseExitWith(this.#context)(this.#pull, { signal: this.#signal })
    if (Exit.isSuccess(exit)) return exit.value
    this.isComplete = Pull.isDoneCause(exit.cause)
    if (this.isComplete) return undefined
    this.failure = exit.cause as Cause.Cause<E>
    throw Cause.squash(exit.cause)
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined, undefined> {
    let ready: Iterator<Uint8Array> = [][Symbol.iterator]()
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      const { done, value } = ready.next()
      if (done !== true) {
        this.hash.update(value)
        this.size += value.length
        return { done: false, value }
      }
      const chunks = await this.#next()
      if (chunks === undefined) return { done: true, value: undefined }
      ready = chunks.filter(({ length }) => length > 0).values()
      return next()
    }
    return { next }
  }
}

/** Closes a content that is not read. Node's streams and web streams hold what they have opened until then. */
const discard = (content: ContentSource): void => {
  if (typeof content !== "object") return
  if ("destroy" in content && typeof content.destroy === "function") content.destroy()
  else if (content instanceof ReadableStream) content.cancel().catch(() => undefined)
}

/** Fails at the end of a stream that has fewer bytes than expected, and at the first byte too many. */
const ofLength = (
  stream: Stream.Stream<Uint8Array, BlobError>,
  expected: number
): Stream.Stream<Uint8Array, BlobError> => {
  const wrong = fault("read", "Unreadable", `the content does not have the ${expected} bytes that were asked for`)
  return Stream.suspend(() => {
    let seen = 0
    const counted = Stream.mapEffect(stream, (chunk) => {
      seen += chunk.length
      return seen > expected ? Effect.fail(wrong) : Effect.succeed(chunk)
    })
    return Stream.concat(
      counted,
      Stream.suspend(() => (seen === expected ? Stream.empty : Stream.fail(wrong)))
    )
  })
}

async function* toAsync(entries: AsyncIterable<ListedBlob> | Iterable<ListedBlob>): AsyncGenerator<ListedBlob> {
  yield* entries
}

const make = (store: BlobStoreDefinition): BlobStore["Service"] => {
  const checkKey = (operation: string, key: string): Effect.Effect<void, BlobError> =>
    BlobKey.parse(key) === undefined ? Effect.fail(fault(operation, "Internal", "not a blob key")) : Effect.void

  const remove = (key: string) => run("remove", (signal) => store.remove({ key, signal }))

  const put = Effect.fnUntraced(function* <E, R>(
    key: string,
    source: Stream.Stream<Uint8Array, E, R>
  ): Effect.fn.Return<BlobReceipt, BlobError | E, R> {
    yield* checkKey("put", key)
    const controller = new AbortController()
    let isStored = false
    return yield* Effect.gen(function* () {
      const pull = yield* Stream.toPull(source)
      const content = new Content(pull, yield* Effect.context<R>(), controller.signal)
      const storing = run(
        "put",
        (signal) => store.put({ key, content, signal }).then(() => void (isStored = true)),
        controller
      )
      const exit = yield* Effect.exit(storing)
      // The store has wrapped or swallowed the error of the content.
      if (content.failure !== undefined) return yield* Effect.failCause(content.failure)
      yield* exit
      if (!content.isComplete) return yield* fault("put", "Internal", "put has resolved before it had read the content")
      return { size: content.size, sha256: content.hash.digest("hex") }
    }).pipe(
      Effect.scoped,
      // A store that has stored a content that failed or was interrupted.
      Effect.onError(() => (isStored ? Effect.ignore(remove(key)) : Effect.void))
    )
  })

  const read = (key: string, { range, size }: ReadOptions = {}): Stream.Stream<Uint8Array, BlobError> =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* checkKey("read", key)
        const controller = new AbortController()
        yield* Effect.addFinalizer(() => Effect.sync(() => controller.abort()))
        const opened = yield* run("read", (signal) => store.read({ key, range, signal }), controller)
        if (opened === undefined) return yield* fault("read", "NotFound", "no blob has this key")
        const end = range === undefined ? opened.size : range.offset + range.length
        const expected = range?.length ?? opened.size
        const isDamaged = opened.size !== (size ?? opened.size) || end > opened.size
        if (isDamaged || expected === 0) {
          discard(opened.content)
          return isDamaged ? Stream.fail(fault("read", "Damaged", "the blob has another size")) : Stream.empty
        }
        const content = yield* Effect.mapError(toStream(opened.content), toBlobError("read"))
        return ofLength(
          Stream.mapError(content, ({ cause }) => toBlobError("read")(cause)),
          expected
        )
      })
    )

  return BlobStore.of({
    put,
    read,
    stat: (key) =>
      Effect.andThen(
        checkKey("stat", key),
        Effect.flatMap(
          run("stat", (signal) => store.stat({ key, signal })),
          (found) => (found === undefined ? fault("stat", "NotFound", "no blob has this key") : Effect.succeed(found))
        )
      ),
    remove: (key) => Effect.andThen(checkKey("remove", key), remove(key)),
    list: (prefix) =>
      Stream.unwrap(
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => new AbortController()),
            (controller) => Effect.sync(() => controller.abort())
          ),
          ({ signal }) =>
            Stream.fromAsyncIterable(toAsync(store.list({ prefix, signal })), toBlobError("list")).pipe(
              Stream.filter(({ key }) => key.startsWith(prefix) && BlobKey.parse(key) !== undefined)
            )
        )
      ),
    localFile: () => undefined,
    check: Effect.suspend(() => {
      const { check } = store
      return check === undefined ? Effect.void : run("check", (signal) => check({ signal }))
    }),
    capabilities: { name: store.name, localFiles: false, shared: store.shared ?? false }
  })
}

/**
 * Returns the adapter of a blob store that is written with promises: `open({ blobs: defineBlobStore({ … }), … })`. Throws `InvalidRequest`
 * for a definition that is not complete. The suite `BlobStoreContract` of `@holdfast/testing` tests what it has to guarantee.
 */
export const defineBlobStore = (definition: BlobStoreDefinition): BlobsAdapter => {
  checkBlobStore(definition)
  const { close } = definition
  const opened = Effect.sync(() => make(definition))
  return {
    blobs: Layer.effect(
      BlobStore,
      close === undefined ? opened : Effect.acquireRelease(opened, () => Effect.promise(() => close()))
    )
  }
}
