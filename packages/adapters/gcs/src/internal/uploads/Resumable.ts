/**
 * The requests of a resumable upload. Nothing of the object is visible before the last request.
 */
import type { Part } from "@holdfast/core/storage/Chunker"
import * as MultipartUpload from "@holdfast/core/storage/MultipartUpload"
import * as Effect from "effect/Effect"
import type * as Connection from "../client/Connection.ts"
import * as Objects from "../client/Objects.ts"
import * as Resource from "../client/Resource.ts"
import * as Retry from "../client/Retry.ts"
import * as GcsFailure from "../GcsFailure.ts"

/** Every request but the last one must have a multiple of this many bytes. */
export const chunkUnit = 256 * 1024

/** An upload that has begun. */
export interface Session {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * Begins an upload. The service returns a URL for it, of which only the query is used: no token is sent to an address
 * that a response names.
 */
export const begin = (
  connection: Connection.Connection,
  name: string,
  fields: Resource.Fields
): Effect.Effect<Session, GcsFailure.GcsFailure> => {
  const path = Objects.uploadPath(connection)
  const query = { uploadType: "resumable" }
  return connection.call({ method: "POST", path, query, ...Objects.jsonBody({ ...fields, name }) }).pipe(
    Effect.flatMap(({ headers }) => {
      const location = URL.parse(headers.location ?? "")
      return location?.searchParams.has("upload_id") === true
        ? Effect.succeed({ path, query: Object.fromEntries(location.searchParams) })
        : Effect.fail(GcsFailure.unexpected("it returned no URL for an upload"))
    })
  )
}

/** How much of an upload the service has: so many bytes, or the whole object. */
type Status = { readonly kept: number } | { readonly object: Resource.Stored }

const toStatus = (response: Connection.Response): Effect.Effect<Status, GcsFailure.GcsFailure> => {
  if (response.status !== 308) return Effect.map(Resource.fromResponse(response), (object) => ({ object }))
  const [, last] = /^bytes=0-(\d+)$/.exec(response.headers.range ?? "") ?? []
  return Effect.succeed({ kept: last === undefined ? 0 : Number(last) + 1 })
}

/** For an upload, a missing session is temporary: the whole content may be sent again. */
const asTemporary = (failure: GcsFailure.GcsFailure): GcsFailure.GcsFailure =>
  failure.kind === "NoObject" ? GcsFailure.withKind(failure, "Unavailable") : failure

/** Returns whether the service does not know the session any more. */
const isSessionGone = ({ cause }: GcsFailure.GcsFailure): boolean =>
  cause instanceof GcsFailure.ErrorResponse && (cause.status === 404 || cause.status === 410)

/**
 * Sends the bytes of a chunk from the position `from`. When `from` is the end of the chunk, requests the status
 * instead.
 */
const put = (
  connection: Connection.Connection,
  { path, query }: Session,
  { bytes, isLast, offset }: Part<unknown>,
  md5: string | undefined,
  from: number
): Effect.Effect<Status, GcsFailure.GcsFailure> => {
  const end = offset + bytes.byteLength
  const range = from < end ? `${from}-${end - 1}` : "*"
  const headers = {
    "content-range": `bytes ${range}/${isLast ? end : "*"}`,
    // The service refuses a content that does not have this MD5, and does not show it.
    ...(md5 === undefined ? {} : { "x-goog-hash": `md5=${md5}` })
  }
  return connection
    .callOnce({ method: "PUT", path, query, headers, body: [bytes.subarray(from - offset)], accept: [308] })
    .pipe(Effect.flatMap(toStatus), Effect.mapError(asTemporary))
}

const notKept = () => GcsFailure.make("Unavailable", "The service does not keep the bytes of an upload.")

/**
 * Sends a chunk until the service has all of it. Returns the object when it is complete. The service may keep fewer bytes than it was
 * sent. Keeping less than half of them counts as a failure, so that a chunk is sent twice at most, beside one time for each failure.
 */
const send = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  session: Session,
  part: Part<unknown>,
  md5?: string
) {
  const end = part.offset + part.bytes.byteLength
  let from = part.offset
  // After a failure it is unknown how many bytes the service has. The next request asks.
  let isUnknown = false
  for (let failures = 0; ;) {
    const sent = yield* Effect.result(put(connection, session, part, md5, isUnknown ? end : from))
    if (sent._tag === "Failure") {
      if (!Retry.isTemporary(sent.failure) || isSessionGone(sent.failure)) return yield* sent.failure
      isUnknown = true
    } else {
      if ("object" in sent.success) return sent.success.object
      const { kept } = sent.success
      if (kept === end && !part.isLast) return undefined
      if (kept < part.offset || kept > end) return yield* notKept()
      const hasProgressed = isUnknown || (kept > from && kept - from >= (end - from) / 2)
      from = kept
      isUnknown = false
      if (hasProgressed) continue
    }
    failures++
    if (failures === connection.maxAttempts) return yield* sent._tag === "Failure" ? sent.failure : notKept()
    yield* Effect.sleep(Retry.backoff(failures))
  }
})

/** Sends a chunk that is not the last one. */
export const sendPart = (
  connection: Connection.Connection,
  session: Session,
  part: Part<unknown>
): Effect.Effect<void, GcsFailure.GcsFailure> => Effect.asVoid(send(connection, session, part))

/**
 * Sends the last chunk and makes the object visible. The service refuses a content that does not have this MD5, base64.
 */
export const complete = (
  connection: Connection.Connection,
  session: Session,
  last: Part<unknown>,
  md5: string
): Effect.Effect<Resource.Stored, GcsFailure.GcsFailure> =>
  Effect.filterOrFail(send(connection, session, last, md5), (object) => object !== undefined, notKept)

/** Discards an upload and its bytes; the service answers 499. Succeeds when the session does not exist any more. */
const cancel = (
  connection: Connection.Connection,
  { path, query }: Session
): Effect.Effect<void, GcsFailure.GcsFailure> =>
  Effect.asVoid(connection.call({ method: "DELETE", path, query, accept: [499, 404, 410] }))

const timedOut = GcsFailure.make("Unavailable", "The service did not cancel the upload in time.")

/**
 * Discards an upload that failed. When that fails as well or takes five seconds, the service drops the upload after a
 * week, and the log says so.
 */
export const discard = (connection: Connection.Connection, session: Session): Effect.Effect<void> =>
  cancel(connection, session).pipe(
    MultipartUpload.boundAbort(timedOut),
    Effect.catch(({ kind, message }) =>
      Effect.logWarning("resumable upload not cancelled; the service drops it after a week", {
        bucket: connection.bucket,
        reason: kind,
        message
      })
    )
  )
