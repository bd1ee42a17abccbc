/**
 * Uploads a content to a store that takes large objects in parts: S3's multipart uploads, Azure's block lists and
 * Google's resumable uploads. A content that fits into one request is sent in one.
 *
 * - Nothing of a content is visible until its last request: `sendWhole` or `complete`.
 * - An upload that fails or is interrupted is aborted. Reading and sending parts can be interrupted. The first and the
 *   last request cannot: only the answer names the upload that begins, or shows whether the object is visible. The
 *   driver waits for the answer, and then calls `abort` or `undo`.
 * - An upload uses one buffer of `partBytes` per slot, whatever the size of the content. Each byte is copied once and
 *   hashed while it is in the processor's cache.
 * - The errors of the content pass through unchanged.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Stream from "effect/Stream"
import * as Chunker from "./Chunker.ts"

/** Hashes the parts of a content and the whole content. */
export interface ContentHasher<PartDigests, ContentDigests> extends Chunker.PartHasher<PartDigests> {
  /** Returns the digests of the whole content. Called once, after the last part. */
  readonly endContent: () => ContentDigests
}

/** A content that was read to its end. */
export interface ContentSummary<Digests> {
  /** Bytes. */
  readonly size: number
  readonly digests: Digests
}

/** The settings of every upload, whatever the order of its parts. */
interface Options<Upload, Stored, E, PartDigests, ContentDigests> {
  /** Bytes of every part but the last. */
  readonly partBytes: number
  /** Bytes of the largest content that is sent in one request; at most `partBytes`. */
  readonly maxWholeBytes: number
  /** How many bytes the content is expected to have. Unknown when absent. */
  readonly expectedBytes?: number | undefined
  /** Makes the hasher of one upload. */
  readonly makeHasher: () => ContentHasher<PartDigests, ContentDigests>
  /** Returns the reason not to store a content, before it becomes visible. */
  readonly reject?: (content: ContentSummary<ContentDigests>) => E | undefined
  /** Sends a whole content in one request. */
  readonly sendWhole: (
    part: Chunker.Part<PartDigests>,
    content: ContentSummary<ContentDigests>
  ) => Effect.Effect<Stored, E>
  /**
   * Whether an interruption aborts every request, also the first and the last one: for a service that must not keep a
   * process from shutting down. Then it is unknown whether an upload remains, or whether the object is visible.
   * Default: false.
   */
  readonly isInterruptible?: boolean
  /** Begins an upload in parts. */
  readonly begin: Effect.Effect<Upload, E>
  /** Discards an upload and its parts. */
  readonly abort: (upload: Upload) => Effect.Effect<void>
  /** Checks the object once it is visible. `confirm` itself removes an object that it does not accept. */
  readonly confirm?: (stored: Stored, content: ContentSummary<ContentDigests>) => Effect.Effect<void, E>
  /** Removes the object after the upload was interrupted during its last request. When absent the object stays. */
  readonly undo?: (stored: Stored) => Effect.Effect<void>
}

/** An upload whose parts may be sent in any order, several at a time. */
export interface ConcurrentOptions<Upload, Sent, Stored, E, PartDigests, ContentDigests> extends Options<
  Upload,
  Stored,
  E,
  PartDigests,
  ContentDigests
> {
  /** Slots: how many parts are read or sent at a time. Each has a buffer. */
  readonly concurrency: number
  readonly sendPart: (upload: Upload, part: Chunker.Part<PartDigests>) => Effect.Effect<Sent, E>
  /** Makes the object visible; `parts` are the results of `sendPart` in the order of the content. */
  readonly complete: (upload: Upload, parts: ReadonlyArray<Sent>) => Effect.Effect<Stored, E>
}

/** An upload whose parts are sent one after the other, and whose last part makes the object visible. */
export interface SequentialOptions<Upload, Stored, E, PartDigests, ContentDigests> extends Options<
  Upload,
  Stored,
  E,
  PartDigests,
  ContentDigests
> {
  /** Sends a part that is not the last one. */
  readonly sendPart: (upload: Upload, part: Chunker.Part<PartDigests>) => Effect.Effect<void, E>
  /** Sends the last part, and makes the object visible. */
  readonly complete: (
    upload: Upload,
    last: Chunker.Part<PartDigests>,
    content: ContentSummary<ContentDigests>
  ) => Effect.Effect<Stored, E>
}

/** The result of an upload. */
export interface Receipt<Stored, ContentDigests> {
  /** The answer to the request that made the object visible. */
  readonly stored: Stored
  readonly content: ContentSummary<ContentDigests>
}

/** Makes an effect interruptible again within an uninterruptible region. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A multipart upload without its content. */
export interface Steps<Upload, Sent, Stored, E, R> {
  readonly begin: Effect.Effect<Upload, E>
  /** Sends all parts. */
  readonly send: (upload: Upload) => Effect.Effect<Sent, E, R>
  readonly complete: (upload: Upload, sent: Sent) => Effect.Effect<Stored, E>
  readonly abort: (upload: Upload) => Effect.Effect<void>
}

const runWith = <Upload, Sent, Stored, E, R>(
  restore: Restore,
  { abort, begin, complete, send }: Steps<Upload, Sent, Stored, E, R>
): Effect.Effect<Stored, E, R> =>
  Effect.flatMap(begin, (upload) =>
    restore(send(upload)).pipe(
      Effect.flatMap((sent) => complete(upload, sent)),
      Effect.onError(() => abort(upload))
    )
  )

/** How long `abort` may take. An interruption waits for it: a shutdown waits for the slowest service of any mirror. */
const maxAbort = "5 seconds"

/** Makes the request of an `abort` fail with `timedOut` when it has not ended after five seconds. It can be interrupted, which `abort` cannot. */
export const boundAbort =
  <E2>(timedOut: E2) =>
  <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    request.pipe(
      Effect.interruptible,
      Effect.timeoutOrElse({ duration: maxAbort, orElse: () => Effect.fail(timedOut) })
    )

/**
 * Begins an upload, sends its parts and completes it. Aborts it when a step fails or is interrupted. An interruption of `begin`
 * may leave an upload without parts.
 */
export const run = <Upload, Sent, Stored, E, R>(
  steps: Steps<Upload, Sent, Stored, E, R>
): Effect.Effect<Stored, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    runWith(restore, {
      ...steps,
      begin: restore(steps.begin),
      complete: (upload, sent) => restore(steps.complete(upload, sent))
    })
  )

/** The first part of a content, in its buffer. */
interface First<PartDigests> {
  readonly part: Chunker.Part<PartDigests>
  readonly buffer: Chunker.PartBuffer
}

type Next<PartDigests, E, R> = Chunker.Chunker<PartDigests, E, R>["next"]

const uploadContent = <Upload, Sent, Stored, E, PartDigests, ContentDigests, E2, R>(
  source: Stream.Stream<Uint8Array, E2, R>,
  options: Options<Upload, Stored, E, PartDigests, ContentDigests>,
  parts: {
    readonly send: (
      upload: Upload,
      first: First<PartDigests>,
      next: Next<PartDigests, E2, R>
    ) => Effect.Effect<Sent, E | E2, R>
    readonly complete: (upload: Upload, sent: Sent, content: ContentSummary<ContentDigests>) => Effect.Effect<Stored, E>
  }
): Effect.Effect<Receipt<Stored, ContentDigests>, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { abort, begin, confirm, expectedBytes, isInterruptible = false, partBytes, reject, undo } = options
      const restoreEnd: Restore = isInterruptible ? restore : (effect) => effect
      const hasher = options.makeHasher()
      const chunker = yield* restore(Chunker.make(source, { partBytes, hasher, expectedBytes }))
      const buffer = Chunker.makeBuffer()
      const part = yield* restore(chunker.next(buffer))
      if (part === undefined) return yield* Effect.die(new Error("a content has no first part"))
      /** Ends the upload here if it was interrupted meanwhile. */
      const stopIfInterrupted = restore(Effect.void)

      /** Runs the last request. All of the content has been read. */
      const finish = (
        send: (content: ContentSummary<ContentDigests>) => Effect.Effect<Stored, E>
      ): Effect.Effect<Receipt<Stored, ContentDigests>, E> =>
        Effect.suspend(() => {
          const content = { size: chunker.size(), digests: hasher.endContent() }
          const reason = reject?.(content)
          return reason === undefined
            ? Effect.andThen(
                stopIfInterrupted,
                Effect.map(restoreEnd(send(content)), (stored) => ({ stored, content }))
              )
            : Effect.fail(reason)
        })

      const sendWhole = finish((content) => options.sendWhole(part, content))
      const sendParts = runWith(restore, {
        begin: restoreEnd(begin),
        send: (upload: Upload): Effect.Effect<Sent, E | E2, R> => parts.send(upload, { part, buffer }, chunker.next),
        complete: (upload, sent) => finish((content) => parts.complete(upload, sent, content)),
        abort
      })

      yield* stopIfInterrupted
      const isWhole = part.isLast && part.bytes.byteLength <= options.maxWholeBytes
      const receipt = yield* isWhole ? sendWhole : sendParts
      const { content, stored } = receipt
      if (confirm !== undefined) yield* restoreEnd(confirm(stored, content))
      yield* undo === undefined ? stopIfInterrupted : Effect.onError(stopIfInterrupted, () => undo(stored))
      return receipt
    }).pipe(Effect.scoped)
  )

/** Uploads a content whose parts may be sent in any order. Each slot reads a part while other slots send theirs. */
export const concurrent = <Upload, Sent, Stored, E, PartDigests, ContentDigests, E2, R>(
  source: Stream.Stream<Uint8Array, E2, R>,
  options: ConcurrentOptions<Upload, Sent, Stored, E, PartDigests, ContentDigests>
): Effect.Effect<Receipt<Stored, ContentDigests>, E | E2, R> => {
  const { complete, concurrency, sendPart } = options
  return uploadContent(source, options, {
    send: (upload, first, next) => {
      const reading = Semaphore.makeUnsafe(1)
      const sent: Array<Sent> = []
      const slot = Effect.fnUntraced(function* (buffer: Chunker.PartBuffer, begun?: Chunker.Part<PartDigests>) {
        const read = reading.withPermits(1)(next(buffer))
        for (let part = begun ?? (yield* read); part !== undefined; part = yield* read) {
          sent[part.index] = yield* sendPart(upload, part)
        }
      })
      const others = Array.from({ length: concurrency - 1 }, () => slot(Chunker.makeBuffer()))
      return Effect.as(
        Effect.all([slot(first.buffer, first.part), ...others], { concurrency: "unbounded", discard: true }),
        sent
      )
    },
    complete: (upload, sent) => complete(upload, sent)
  })
}

/**
 * Uploads a content whose parts have to be sent in order. Reads one part while the one before it is sent: two buffers.
 */
export const sequential = <Upload, Stored, E, PartDigests, ContentDigests, E2, R>(
  source: Stream.Stream<Uint8Array, E2, R>,
  options: SequentialOptions<Upload, Stored, E, PartDigests, ContentDigests>
): Effect.Effect<Receipt<Stored, ContentDigests>, E | E2, R> =>
  uploadContent(source, options, {
    send: Effect.fnUntraced(function* (
      upload: Upload,
      first: First<PartDigests>,
      next: Next<PartDigests, E2, R>
    ): Effect.fn.Return<Chunker.Part<PartDigests>, E | E2, R> {
      let { buffer, part } = first
      let other = Chunker.makeBuffer()
      while (!part.isLast) {
        const [following] = yield* Effect.all([next(other), options.sendPart(upload, part)], { concurrency: 2 })
        if (following === undefined)
          return yield* Effect.die(new Error("a part is missing after one that was not the last"))
        part = following
        ;[buffer, other] = [other, buffer]
      }
      return part
    }),
    complete: options.complete
  })
