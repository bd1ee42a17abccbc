/**
 * Resumable uploads: a session takes an object's bytes in as many requests as it likes, and shows nothing of them before
 * the last one is there.
 */
import { randomUUID } from "node:crypto"
import * as Conditions from "./GcsConditions.ts"
import * as Exchange from "./GcsRequest.ts"
import * as Insert from "./GcsInsert.ts"
import * as Refusal from "./GcsRefusal.ts"
import * as Resource from "./GcsResource.ts"
import * as State from "./GcsState.ts"

/** What a session keeps, while it is open, is a multiple of this. */
const unit = 256 * 1024

/** Begins a session, whose URI the header `location` tells. */
export const begin = async (
  state: State.State,
  exchange: Exchange.Exchange,
  bucket: string,
  endpoint: string
): Promise<void> => {
  const body = await Exchange.whole(exchange)
  const objects = State.bucket(state, bucket)
  const resource = Resource.parse(body.toString())
  const name = Resource.checkName(exchange.query.get("name") ?? resource["name"])
  const conditions = Conditions.of(exchange.query)
  Conditions.check(conditions, objects.get(name))
  const type = exchange.request.headers["x-upload-content-type"] ?? Insert.defaultType
  const session: State.Session = {
    id: randomUUID(),
    bucket,
    name,
    resource: { contentType: type, ...resource },
    conditions,
    incoming: State.receive(state),
    outcome: "open"
  }
  // Refuses what makes no object.
  Resource.patch({}, session.resource)
  state.sessions.set(session.id, session)
  const location = `${endpoint}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&upload_id=${session.id}`
  Exchange.answer(exchange, 200, { location, "x-guploader-uploadid": session.id })
}

const gone = () => new Refusal.Refusal(410, "gone", "The upload session is gone.")

/** The session of a request that is still of use. */
const find = (state: State.State, { query }: Exchange.Exchange): State.Session => {
  const session = state.sessions.get(query.get("upload_id") ?? "")
  if (session === undefined) throw new Refusal.Refusal(404, "notFound", "The upload session is not known.")
  if (session.outcome === "cancelled" || session.outcome === "refused") throw gone()
  return session
}

interface ContentRange {
  /** Undefined for a question. */
  readonly first: number | undefined
  readonly total: number | undefined
  /** Whether the upload ends with these bytes. */
  readonly isLast: boolean
}

const parseRange = (header: string | undefined): ContentRange => {
  if (header === undefined) return { first: 0, total: undefined, isLast: true }
  const [, first, last, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header) ?? []
  if (total === undefined || (first !== undefined && Number(first) > Number(last))) {
    throw new Refusal.Refusal(400, "badRequest", "Failed to parse Content-Range header.")
  }
  return {
    first: first === undefined ? undefined : Number(first),
    total: total === "*" ? undefined : Number(total),
    isLast: last !== undefined && Number(last) + 1 === Number(total)
  }
}

/** Tells how much of an upload is kept. */
const incomplete = (exchange: Exchange.Exchange, { incoming: { size } }: State.Session): void =>
  Exchange.answer(exchange, 308, size === 0 ? {} : { range: `bytes=0-${size - 1}` })

const complete = (state: State.State, exchange: Exchange.Exchange, session: State.Session): void => {
  const { bucket, conditions, incoming, name, resource } = session
  const digests = incoming.hashes.digests()
  try {
    Insert.verify(digests, resource, exchange.request.headers["x-goog-hash"])
    Conditions.check(conditions, State.bucket(state, bucket).get(name))
  } catch (refusal) {
    session.outcome = "refused"
    State.discard(incoming)
    throw refusal
  }
  const object = State.publish(state, { bucket, name, fields: Resource.patch({}, resource), incoming, digests })
  session.outcome = object
  Exchange.json(exchange, 200, Resource.of(bucket, object))
}

/** Takes bytes from where the session stands on; whole units, or all of them when they are the last ones. */
const take = async (
  exchange: Exchange.Exchange,
  { incoming }: State.Session,
  first: number,
  isLast: boolean
): Promise<void> => {
  if (first > incoming.size) throw new Refusal.Refusal(400, "badRequest", "There are bytes missing before these.")
  let known = incoming.size - first
  let rest = Buffer.alloc(0)
  for await (const chunk of Exchange.body(exchange)) {
    const fresh = chunk.subarray(Math.min(known, chunk.byteLength))
    known -= chunk.byteLength - fresh.byteLength
    rest = Buffer.concat([rest, fresh])
    const whole = rest.byteLength - (rest.byteLength % unit)
    if (whole > 0) State.append(incoming, Exchange.media(exchange, rest.subarray(0, whole)))
    rest = rest.subarray(whole)
  }
  if (isLast) State.append(incoming, Exchange.media(exchange, rest))
}

/** Bytes for a session, or the question how many it has. */
export const put = async (state: State.State, exchange: Exchange.Exchange): Promise<void> => {
  const session = find(state, exchange)
  const hasRange = exchange.request.headers["content-range"] !== undefined
  const { first, isLast, total } = parseRange(exchange.request.headers["content-range"])
  if (typeof session.outcome === "object") {
    await Exchange.whole(exchange)
    return Exchange.json(exchange, 200, Resource.of(session.bucket, session.outcome))
  }
  if (first === undefined) await Exchange.whole(exchange)
  else await take(exchange, session, first, isLast)
  const { size } = session.incoming
  if (total !== undefined && size > total) throw Refusal.invalid("The upload is longer than it was said to be.")
  if (!hasRange || size === total) return complete(state, exchange, session)
  return incomplete(exchange, session)
}

/** Cancels a session: the service's answer is a 499. */
export const cancel = async (state: State.State, exchange: Exchange.Exchange): Promise<void> => {
  await Exchange.whole(exchange)
  const session = find(state, exchange)
  if (session.outcome !== "open") throw gone()
  session.outcome = "cancelled"
  State.discard(session.incoming)
  Exchange.answer(exchange, 499, {})
}
