/**
 * Writing, describing and finding objects of a mirror.
 */
import type { MirrorObject, TargetObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AzureFailure from "./AzureFailure.ts"
import type * as Connection from "./Connection.ts"
import * as Listing from "./Listing.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as Upload from "./Upload.ts"

type Failing<A> = Effect.Effect<A, AzureFailure.AzureFailure>

/** Entity tags stand in quotes in headers, and without them in listings. */
const tagOf = (etag: string | undefined): Failing<string> =>
  etag === undefined || etag === ""
    ? Effect.fail(AzureFailure.unexpected("the service gave no entity tag"))
    : Effect.succeed(etag.replaceAll('"', ""))

const receiptOf = (etag: string | undefined): Failing<WriteReceipt> => Effect.map(tagOf(etag), (tag) => ({ tag }))

/**
 * Writes an object. What is visible under the name changes with the last request alone, and that one is made only for
 * the very bytes that were announced.
 */
export const write = <E, R>(
  connection: Connection.Connection,
  sizes: Upload.Sizes,
  object: MirrorObject,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<WriteReceipt, AzureFailure.AzureFailure | E, R> => {
  const target: Upload.Target = {
    name: object.name,
    expectedBytes: object.size,
    blobHTTPHeaders: MirrorDescription.headers(object.description),
    metadata: MirrorDescription.metadata(object.description)
  }
  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { commit, receipt } = yield* restore(Upload.prepare(connection, sizes, target, content))
      if (receipt.size !== object.size || receipt.sha256 !== object.sha256) {
        return yield* AzureFailure.of("Damaged", "the content is not the one that was announced")
      }
      yield* restore(Effect.void)
      // Ended midway, nobody could tell whether the object changed.
      return yield* Effect.flatMap(commit, receiptOf)
    }).pipe(Effect.scoped)
  )
}

/**
 * Gives an object another description. That takes two requests, each of which replaces all that it sets: when it fails in
 * between, or its answer is lost, it can be done again from the beginning. The metadata comes last, since it has the marks
 * by which a finished object is known. An object that somebody else changes meanwhile is left as it is.
 */
export const describe = (
  connection: Connection.Connection,
  { description, name }: MirrorObject
): Failing<WriteReceipt> =>
  Effect.gen(function* () {
    const found = yield* connection.call((container, abortSignal) =>
      container.getBlobClient(name).getProperties({ abortSignal })
    )
    // The request clears what it is not given, and this belongs to the bytes.
    const checksum = found.contentMD5 === undefined ? {} : { blobContentMD5: found.contentMD5 }
    const dressed = yield* connection.call((container, abortSignal) =>
      container
        .getBlobClient(name)
        .setHTTPHeaders(
          { ...MirrorDescription.headers(description), ...checksum },
          { abortSignal, ...only(found.etag) }
        )
    )
    const { etag } = yield* connection.call((container, abortSignal) =>
      container
        .getBlobClient(name)
        .setMetadata(MirrorDescription.metadata(description), { abortSignal, ...only(dressed.etag) })
    )
    return yield* receiptOf(etag)
  })

/** For the state that an entity tag is of. */
const only = (etag: string | undefined) => (etag === undefined ? {} : { conditions: { ifMatch: etag } })

const orMissing = <A>(self: Failing<A>): Failing<Option.Option<A>> =>
  self.pipe(
    Effect.asSome,
    Effect.catchIf(
      ({ meaning }) => meaning === "Missing",
      () => Effect.succeedNone
    )
  )

/** Snapshots are somebody else's: an object that has some is not removed. */
export const remove = (connection: Connection.Connection, name: string): Failing<void> =>
  Effect.asVoid(
    orMissing(connection.call((container, abortSignal) => container.getBlobClient(name).delete({ abortSignal })))
  )

const entry = (name: string, size: number | undefined, etag: string | undefined): Failing<TargetObject> =>
  Effect.map(tagOf(etag), (tag) => ({ name, size: size ?? 0, tag }))

export const stat = (connection: Connection.Connection, name: string): Failing<Option.Option<TargetObject>> =>
  connection
    .call((container, abortSignal) => container.getBlobClient(name).getProperties({ abortSignal }))
    .pipe(
      Effect.flatMap(({ contentLength, etag }) => entry(name, contentLength, etag)),
      orMissing
    )

export const list = (connection: Connection.Connection): Stream.Stream<TargetObject, AzureFailure.AzureFailure> =>
  Stream.mapEffect(Listing.all(connection, ""), ({ name, properties }) =>
    entry(name, properties.contentLength, properties.etag)
  )
