/**
 * Resumable uploads: a session receives an object's bytes in any number of requests. The object is visible after the
 * last one.
 */
import { randomUUID } from "node:crypto"
import * as Conditions from "./GcsConditions.ts"
import * as GcsRequest from "./GcsRequest.ts"
import * as Insert from "./GcsInsert.ts"
import * as GcsError from "./GcsError.ts"
import * as Resource from "./GcsResource.ts"
import * as State from "./GcsState.ts"

/** An open session keeps a multiple of this many bytes. */
const unit = 256 * 1024

/** Begins a session. The header `location` has its URI. */
export const begin = async (
  state: State.State,
  request: GcsRequest.Request,
  bucket: string,
  endpoint: string
): Promise<void> => {
  const body = await GcsRequest.readBody(request)
  const objects = State.getBucket(state, bucket)
  const resource = Resource.parse(body.toString())
  const name = Resource.checkName(request.query.get("name") ?? resource["name"])
  const conditions = Conditions.parse(request.query)
  Conditions.check(conditions, objects.get(name))
  const type = request.message.headers["x-upload-content-type"] ?? Insert.defaultType
  const session: State.Session = {
    id: randomUUID(),
    bucket,
    name,
    resource: { contentType: type, ...resource },
    conditions,
    incoming: State.beginContent(state),
    outcome: "open"
  }
  // Throws an error response for fields that no object can have.
  Resource.applyPatch({}, session.resource)
  state.sessions.set(session.id, session)
  const location = `${endpoint}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&upload_id=${session.id}`
  GcsRequest.respond(request, 200, { location, "x-guploader-uploadid": session.id })
}

const gone = () => new GcsError.GcsError(410, "gone", "The upload session is gone.")

/**
 * Returns the session of a request. Throws an error response for an unknown session, and for a cancelled or refused
 * one.
 */
const getSession = (state: State.State, { query }: GcsRequest.Request): State.Session => {
  const session = state.sessions.get(query.get("upload_id") ?? "")
  if (session === undefined) throw new GcsError.GcsError(404, "notFound", "The upload session is not known.")
  if (session.outcome === "cancelled" || session.outcome === "refused") throw gone()
  return session
}

interface ContentRange {
  /** Undefined for a request that asks how much is kept. */
  readonly first: number | undefined
  readonly total: number | undefined
  /** Whether these bytes are the last ones. */
  readonly isLast: boolean
}

const parseRange = (header: string | undefined): ContentRange => {
  if (header === undefined) return { first: 0, total: undefined, isLast: true }
  const [, first, last, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header) ?? []
  if (total === undefined || (first !== undefined && Number(first) > Number(last))) {
    throw new GcsError.GcsError(400, "badRequest", "Failed to parse Content-Range header.")
  }
  return {
    first: first === undefined ? undefined : Number(first),
    total: total === "*" ? undefined : Number(total),
    isLast: last !== undefined && Number(last) + 1 === Number(total)
  }
}

/** Responds how much of an upload is kept. */
const respondIncomplete = (request: GcsRequest.Request, { incoming: { size } }: State.Session): void =>
  GcsRequest.respond(request, 308, size === 0 ? {} : { range: `bytes=0-${size - 1}` })

const complete = (state: State.State, request: GcsRequest.Request, session: State.Session): void => {
  const { bucket, conditions, incoming, name, resource } = session
  const digests = incoming.hashes.digests()
  try {
    Insert.verify(digests, resource, request.message.headers["x-goog-hash"])
    Conditions.check(conditions, State.getBucket(state, bucket).get(name))
  } catch (error) {
    session.outcome = "refused"
    State.discard(incoming)
    throw error
  }
  const object = State.publish(state, { bucket, name, fields: Resource.applyPatch({}, resource), incoming, digests })
  session.outcome = object
  GcsRequest.respondJson(request, 200, Resource.toJson(bucket, object))
}

/** Appends the bytes that the session does not have yet: whole units, or all bytes if they are the last ones. */
const takeBytes = async (
  request: GcsRequest.Request,
  { incoming }: State.Session,
  first: number,
  isLast: boolean
): Promise<void> => {
  if (first > incoming.size) throw new GcsError.GcsError(400, "badRequest", "There are bytes missing before these.")
  let duplicate = incoming.size - first
  let rest = Buffer.alloc(0)
  for await (const chunk of GcsRequest.body(request)) {
    const fresh = chunk.subarray(Math.min(duplicate, chunk.byteLength))
    duplicate -= chunk.byteLength - fresh.byteLength
    rest = Buffer.concat([rest, fresh])
    const whole = rest.byteLength - (rest.byteLength % unit)
    if (whole > 0) State.append(incoming, GcsRequest.damageIfPlanned(request, rest.subarray(0, whole)))
    rest = rest.subarray(whole)
  }
  if (isLast) State.append(incoming, GcsRequest.damageIfPlanned(request, rest))
}

/** Receives bytes of a session, or the question how many it has. */
export const put = async (state: State.State, request: GcsRequest.Request): Promise<void> => {
  const session = getSession(state, request)
  const hasRange = request.message.headers["content-range"] !== undefined
  const { first, isLast, total } = parseRange(request.message.headers["content-range"])
  if (typeof session.outcome === "object") {
    await GcsRequest.readBody(request)
    return GcsRequest.respondJson(request, 200, Resource.toJson(session.bucket, session.outcome))
  }
  if (first === undefined) await GcsRequest.readBody(request)
  else await takeBytes(request, session, first, isLast)
  const { size } = session.incoming
  if (total !== undefined && size > total) throw GcsError.invalid("The upload is longer than it was said to be.")
  if (!hasRange || size === total) return complete(state, request, session)
  return respondIncomplete(request, session)
}

/** Cancels a session. The service responds with 499. */
export const cancel = async (state: State.State, request: GcsRequest.Request): Promise<void> => {
  await GcsRequest.readBody(request)
  const session = getSession(state, request)
  if (session.outcome !== "open") throw gone()
  session.outcome = "cancelled"
  State.discard(session.incoming)
  GcsRequest.respond(request, 499, {})
}
