/**
 * Copies the contents of a snapshot from one store to another, and verifies them.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { MetadataSnapshot, SnapshotContent } from "@holdfast/sqlite/MetadataSnapshot"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as VerifiedContent from "./VerifiedContent.ts"

/** Contents that are copied or verified at a time: this bounds memory, open files and connections. */
const concurrency = 8

/** Contents whose records are in memory at a time. */
const pageSize = 500

/** Receives events, one after the other. */
export interface Observer {
  /** A content is missing or differs from its record. */
  readonly onFault: (fault: VerifiedContent.ContentFault) => void
  /** Bytes of contents were copied, verified, or found to be there already. */
  readonly onBytes: (bytes: number) => void
}

export interface CopyResult {
  /** Contents that were copied, and their bytes. */
  readonly copied: number
  readonly copiedBytes: number
  /** Contents that the target had already. */
  readonly kept: number
  /** Contents that are missing in the source or differ from their records. They were not copied. */
  readonly lost: number
}

/** Streams the contents of a snapshot, in the order of their ids. */
export const all = (snapshot: MetadataSnapshot): Stream.Stream<SnapshotContent> =>
  Stream.paginate("", (after: string) =>
    Effect.sync(() => {
      const page = snapshot.list(after, pageSize)
      const last = page.at(-1)
      return [page, page.length < pageSize || last === undefined ? Option.none() : Option.some(last.blobId)] as const
    })
  )

/** Runs an effect for each content, some of them at a time. Retries failures that may pass. */
export const forEach = <A, R>(
  contents: Stream.Stream<SnapshotContent>,
  run: (content: SnapshotContent) => Effect.Effect<A, BlobError | VerifiedContent.ContentFault, R>,
  { onFault }: Pick<Observer, "onFault">
): Effect.Effect<void, BlobError, R> =>
  contents.pipe(
    Stream.mapEffect(
      (content) =>
        run(content).pipe(
          Effect.retry({
            while: (error) => error._tag === "BlobError" && error.isRetryable,
            schedule: Schedule.exponential("200 millis"),
            times: 5
          }),
          Effect.catchTag("ContentFault", (fault) => Effect.sync(() => onFault(fault)))
        ),
      { concurrency, unordered: true }
    ),
    Stream.runDrain
  )

/** Reads a content and compares it with its record. */
export const verify = (
  store: BlobStore["Service"],
  content: SnapshotContent
): Effect.Effect<void, BlobError | VerifiedContent.ContentFault> =>
  Stream.runDrain(VerifiedContent.read(store, content))

export interface CopyOptions extends Observer {
  readonly snapshot: MetadataSnapshot
  readonly from: BlobStore["Service"]
  readonly to: BlobStore["Service"]
  /** Whether contents that the target has already are read and compared; otherwise their sizes are compared. */
  readonly verifiesKept: boolean
}

/**
 * Copies the contents that the target lacks. A content is in the target as a whole, with its SHA-256 verified, or not at all:
 * after an interruption the next call continues.
 */
export const copyAll = ({ from, onBytes, onFault, snapshot, to, verifiesKept }: CopyOptions) =>
  Effect.suspend(() => {
    const result = { copied: 0, copiedBytes: 0, kept: 0, lost: 0 }
    const has = (content: SnapshotContent) =>
      to.stat(content.key).pipe(
        Effect.flatMap(({ size }) =>
          size === content.size && verifiesKept
            ? Effect.as(verify(to, content), true)
            : Effect.succeed(size === content.size)
        ),
        Effect.catchTag("ContentFault", () => Effect.succeed(false)),
        Effect.catchIf(
          (error) => error.reason === "NotFound",
          () => Effect.succeed(false)
        )
      )
    const copy = (content: SnapshotContent) =>
      Effect.gen(function* () {
        if (yield* has(content)) {
          result.kept++
          return onBytes(content.size)
        }
        yield* to.put(content.key, VerifiedContent.read(from, content))
        result.copied++
        result.copiedBytes += content.size
        onBytes(content.size)
      })
    const fault = (found: VerifiedContent.ContentFault) => {
      result.lost++
      onFault(found)
    }
    return Effect.map(forEach(all(snapshot), copy, { onFault: fault }), (): CopyResult => result)
  })
