/**
 * A content in several requests: nothing of it is visible before the last one.
 */
import * as Effect from "effect/Effect"
import * as Assembly from "./Assembly.ts"
import * as Attempt from "./Attempt.ts"
import type * as Connection from "./Connection.ts"
import * as GcsFailure from "./GcsFailure.ts"
import * as Objects from "./Objects.ts"
import * as Resource from "./Resource.ts"

/** What the service takes in one request, unless it is the last one, is a multiple of this. */
export const unit = 256 * 1024

/** An upload that has begun. */
export interface Session {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * Begins an upload. The service names an address for it; only its path and query are used, so that no token goes to where
 * an answer says.
 */
export const begin = (
  connection: Connection.Connection,
  name: string,
  resource: Resource.Description
): Effect.Effect<Session, GcsFailure.GcsFailure> => {
  const path = Objects.uploadPath(connection)
  const query = { uploadType: "resumable" }
  return connection.call({ method: "POST", path, query, ...Objects.withJson({ ...resource, name }) }).pipe(
    Effect.flatMap(({ headers }) => {
      const location = URL.parse(headers.location ?? "")
      return location?.searchParams.has("upload_id") === true
        ? Effect.succeed({ path, query: Object.fromEntries(location.searchParams) })
        : Effect.fail(GcsFailure.unexpected("no address for an upload"))
    })
  )
}

/** Where an upload stands: so many bytes are kept, or it is complete. */
type Standing = { readonly kept: number } | { readonly object: Resource.Stored }

const standing = (answer: Connection.Answer): Effect.Effect<Standing, GcsFailure.GcsFailure> => {
  if (answer.status !== 308) return Effect.map(Resource.of(answer), (object) => ({ object }))
  const [, last] = /^bytes=0-(\d+)$/.exec(answer.headers.range ?? "") ?? []
  return Effect.succeed({ kept: last === undefined ? 0 : Number(last) + 1 })
}

/** A session that the service does not know any more: the whole content may be sent again. */
const gone = (failure: GcsFailure.GcsFailure): GcsFailure.GcsFailure =>
  failure.kind === "NoObject" ? GcsFailure.as(failure, "Unavailable") : failure

const isGone = ({ cause }: GcsFailure.GcsFailure): boolean =>
  cause instanceof GcsFailure.Refusal && (cause.status === 404 || cause.status === 410)

/** Sends a piece from `from` on; asks where the upload stands when that is its end. */
const put = (
  connection: Connection.Connection,
  { path, query }: Session,
  { bytes, isLast, offset }: Assembly.Piece,
  md5: string | undefined,
  from: number
): Effect.Effect<Standing, GcsFailure.GcsFailure> => {
  const end = offset + bytes.byteLength
  const range = from < end ? `${from}-${end - 1}` : "*"
  const headers = {
    "content-range": `bytes ${range}/${isLast ? end : "*"}`,
    // The service refuses a content that does not have it, and shows nothing.
    ...(md5 === undefined ? {} : { "x-goog-hash": `md5=${md5}` })
  }
  return connection
    .once({ method: "PUT", path, query, headers, body: [bytes.subarray(from - offset)], accept: [308] })
    .pipe(Effect.flatMap(standing), Effect.mapError(gone))
}

const lost = new GcsFailure.GcsFailure({
  kind: "Unavailable",
  detail: "The service does not keep the bytes of an upload."
})

/** Sends a piece until all of it is kept, and gives the object when the content is complete. */
const send = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  session: Session,
  piece: Assembly.Piece,
  md5?: string
) {
  const end = piece.offset + piece.bytes.byteLength
  let from = piece.offset
  // After a failure nobody knows how much is kept: the next request asks.
  let isUnsure = false
  for (let failures = 0; ;) {
    const sent = yield* Effect.result(put(connection, session, piece, md5, isUnsure ? end : from))
    if (sent._tag === "Failure") {
      if (!Attempt.isPassing(sent.failure) || isGone(sent.failure)) return yield* sent.failure
      isUnsure = true
    } else {
      if ("object" in sent.success) return sent.success.object
      const { kept } = sent.success
      if (kept === end && !piece.isLast) return undefined
      if (kept < piece.offset || kept > end) return yield* lost
      const hasMoved = kept > from || isUnsure
      from = kept
      isUnsure = false
      // It may keep less than it was sent, but not nothing again and again.
      if (hasMoved) continue
    }
    failures++
    if (failures === connection.maxAttempts) return yield* sent._tag === "Failure" ? sent.failure : lost
    yield* Effect.sleep(Attempt.pause(failures))
  }
})

/** Sends pieces, the first of which is in `memory`, and gives the last one, which is not sent. One fills while one is sent. */
export const sendAll = Effect.fnUntraced(function* <E, R, F>(
  connection: Connection.Connection,
  session: Session,
  assembly: Assembly.Assembly<E, R>,
  first: { readonly piece: Assembly.Piece; readonly memory: Assembly.Memory },
  toError: (failure: GcsFailure.GcsFailure) => F
) {
  let { memory, piece } = first
  let other = Assembly.memory()
  while (!piece.isLast) {
    const sending = Effect.mapError(send(connection, session, piece), toError)
    const [next] = yield* Effect.all([assembly.next(other), sending], { concurrency: 2 })
    piece = next
    ;[memory, other] = [other, memory]
  }
  return piece
})

/** Sends the last piece and makes the object visible, unless its bytes do not have this MD5, base64. */
export const finish = (
  connection: Connection.Connection,
  session: Session,
  piece: Assembly.Piece,
  md5: string
): Effect.Effect<Resource.Stored, GcsFailure.GcsFailure> =>
  Effect.filterOrFail(
    send(connection, session, piece, md5),
    (object) => object !== undefined,
    () => lost
  )

/** Forgets an upload and its bytes; the service's word for it is 499. One that is gone already is a success. */
export const cancel = (
  connection: Connection.Connection,
  { path, query }: Session
): Effect.Effect<void, GcsFailure.GcsFailure> =>
  Effect.asVoid(connection.call({ method: "DELETE", path, query, accept: [499, 404, 410] }))
