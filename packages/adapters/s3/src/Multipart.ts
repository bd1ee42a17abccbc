/**
 * An object in parts: nothing of it is visible before they are complete.
 */
import type { CompletedPart, CreateMultipartUploadCommandInput } from "@aws-sdk/client-s3"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Assembly from "./Assembly.ts"
import type * as Client from "./Client.ts"
import * as PayloadHash from "./PayloadHash.ts"

/** S3's limit. */
export const maxParts = 10_000

/** An upload that has begun. */
export interface Upload extends Client.Target {
  readonly UploadId: string
}

const begin = <E>(
  client: Client.Client<E>,
  operation: string,
  input: CreateMultipartUploadCommandInput & Client.Target
): Effect.Effect<Upload, E> =>
  client
    .call(operation, (client, sdk, options) => client.send(new sdk.CreateMultipartUploadCommand(input), options))
    .pipe(
      Effect.flatMap(({ UploadId }) =>
        UploadId === undefined
          ? Effect.fail(client.errors.unexpected(operation, "the service gave no id for an upload"))
          : Effect.succeed({ Bucket: input.Bucket, Key: input.Key, UploadId })
      )
    )

const send = <E>(
  client: Client.Client<E>,
  operation: string,
  upload: Upload,
  { bytes, md5, number, sha256 }: Assembly.Part
): Effect.Effect<CompletedPart, E> => {
  if (number > maxParts) {
    return Effect.fail(client.errors.tooLarge(operation, `a content has more than ${maxParts} parts`))
  }
  const input = { ...upload, PartNumber: number, Body: bytes, ContentLength: bytes.byteLength, ContentMD5: md5 }
  if (sha256 !== undefined) PayloadHash.tell(bytes, sha256)
  return client
    .call(operation, (client, sdk, options) => client.send(new sdk.UploadPartCommand(input), options))
    .pipe(Effect.flatMap(({ ETag }) => completed(client, operation, number, ETag)))
}

/** What completes an upload, of one part. */
export const completed = <E>(
  client: Client.Client<E>,
  operation: string,
  number: number,
  ETag: string | undefined
): Effect.Effect<CompletedPart, E> =>
  ETag === undefined
    ? Effect.fail(client.errors.unexpected(operation, "the service gave no entity tag for a part"))
    : Effect.succeed({ PartNumber: number, ETag })

/**
 * Sends all parts, the first of which is in `memory` already, and gives what completes the upload. Each of `concurrency`
 * workers has memory for one part: it waits for its turn to fill it, and sends it while another one fills.
 */
export const sendAll = <E, E2, R>(
  client: Client.Client<E>,
  operation: string,
  upload: Upload,
  assembly: Assembly.Assembly<E2, R>,
  first: { readonly part: Assembly.Part; readonly memory: Assembly.Memory },
  others: ReadonlyArray<Assembly.Memory>
): Effect.Effect<ReadonlyArray<CompletedPart>, E | E2, R> => {
  const turn = Semaphore.makeUnsafe(1)
  const sent: Array<CompletedPart> = []
  const worker = Effect.fnUntraced(function* (memory: Assembly.Memory, begun: Assembly.Part | undefined) {
    let part = begun ?? (yield* turn.withPermits(1)(assembly.next(memory)))
    while (part !== undefined) {
      sent.push(yield* send(client, operation, upload, part))
      part = yield* turn.withPermits(1)(assembly.next(memory))
    }
  })
  return Effect.all([worker(first.memory, first.part), ...others.map((memory) => worker(memory, undefined))], {
    concurrency: "unbounded",
    discard: true
  }).pipe(Effect.map(() => sent.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))))
}

/** Makes the object visible. What the service says of its entity tag differs too much to rely on: some leave it empty. */
const complete = <E>(
  client: Client.Client<E>,
  operation: string,
  { Bucket, Key, UploadId }: Upload,
  parts: ReadonlyArray<CompletedPart>
): Effect.Effect<void, E> =>
  Effect.asVoid(
    client.call(operation, (client, sdk, options) =>
      client.send(
        new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: [...parts] } }),
        options
      )
    )
  )

const unlessGone = (cause: unknown): void => {
  if (!(cause instanceof Error && cause.name === "NoSuchUpload")) throw cause
}

/** Forgets an upload and its parts. One that is gone already is a success. */
export const abort = <E>(client: Client.Client<E>, operation: string, upload: Upload): Effect.Effect<void, E> =>
  client.call(operation, (client, sdk, options) =>
    client.send(new sdk.AbortMultipartUploadCommand(upload), options).then(() => {}, unlessGone)
  )

/**
 * A whole upload: begins it, sends its parts with `fill`, and completes it, or aborts it if anything fails. To be run
 * where it cannot be interrupted, so that nothing is left behind; `fill` says where it can.
 */
export const run = <E, E2, R>(
  client: Client.Client<E>,
  operation: string,
  input: CreateMultipartUploadCommandInput & Client.Target,
  fill: (upload: Upload) => Effect.Effect<ReadonlyArray<CompletedPart>, E2, R>
): Effect.Effect<void, E | E2, R> =>
  Effect.flatMap(begin(client, operation, input), (upload) =>
    fill(upload).pipe(
      Effect.flatMap((parts) => complete(client, operation, upload, parts)),
      Effect.onError(() => Effect.catch(abort(client, operation, upload), client.errors.untidy))
    )
  )
