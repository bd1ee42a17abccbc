/**
 * The methods of the JSON API's `objects` that the adapters use.
 */
import type { Response } from "@holdfast/core/storage/RemoteBlobStore"
import * as Listing from "@holdfast/core/mirrors/targets/Listing"
import { property } from "@holdfast/outbound/Property"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import * as GcsFailure from "../GcsFailure.ts"
import * as Connection from "./Connection.ts"
import * as Resource from "./Resource.ts"

type Result<A> = Effect.Effect<A, GcsFailure.GcsFailure>

const jsonType = { "content-type": "application/json; charset=UTF-8" }

/** The headers and the body of a request with a resource. */
export const jsonBody = (value: object): Pick<Connection.Request, "headers" | "body"> => ({
  headers: jsonType,
  body: [Buffer.from(JSON.stringify(value))]
})

/** Returns the path of requests that upload. */
export const uploadPath = ({ bucket }: Connection.Connection): string =>
  `/upload/storage/v1/b/${Connection.encodeSegment(bucket)}/o`

const listPath = ({ bucket }: Connection.Connection): string => `/storage/v1/b/${Connection.encodeSegment(bucket)}/o`

const objectPath = (connection: Connection.Connection, name: string): string =>
  `${listPath(connection)}/${Connection.encodeSegment(name)}`

/**
 * The type in the header of a MIME part, where no character may end the header. The resource has the exact type in any
 * case.
 */
const headerType = ({ contentType }: Resource.Fields): string =>
  /^[\x21-\x7e][\x20-\x7e]*$/.test(contentType) ? contentType : "application/octet-stream"

/** Writes an object in one request. The service refuses bytes that do not have the MD5, base64. */
export const insert = (
  connection: Connection.Connection,
  name: string,
  fields: Resource.Fields,
  bytes: Uint8Array,
  md5Hash: string
): Result<Resource.Stored> => {
  const boundary = randomUUID()
  const body = [
    Buffer.from(`--${boundary}\r\ncontent-type: ${jsonType["content-type"]}\r\n\r\n`),
    Buffer.from(JSON.stringify({ ...fields, name, md5Hash })),
    Buffer.from(`\r\n--${boundary}\r\ncontent-type: ${headerType(fields)}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`)
  ]
  const headers = { "content-type": `multipart/related; boundary=${boundary}` }
  const query = { uploadType: "multipart" }
  return connection
    .call({ method: "POST", path: uploadPath(connection), query, headers, body })
    .pipe(Effect.flatMap(Resource.fromResponse))
}

/** Requests an object's resource. */
export const get = (connection: Connection.Connection, name: string): Result<Resource.Stored> =>
  connection.call({ method: "GET", path: objectPath(connection, name) }).pipe(Effect.flatMap(Resource.fromResponse))

/**
 * Requests an object's bytes. `range` is the value of a header Range (RFC 9110, section 14); undefined for all bytes. With the
 * encoding `gzip`, the service sends an object that is stored with it as it is; otherwise it decompresses the bytes.
 */
export const openMedia = (
  connection: Connection.Connection,
  name: string,
  range: string | undefined,
  encoding: "identity" | "gzip" = "identity"
): Effect.Effect<IncomingMessage, GcsFailure.GcsFailure, Scope.Scope> => {
  // Neither the service nor a proxy may decompress the bytes.
  const headers = { "accept-encoding": encoding, ...(range === undefined ? {} : { range }) }
  return connection.open({ method: "GET", path: objectPath(connection, name), query: { alt: "media" }, headers })
}

/** Returns the response to a request for bytes as the core reads it. */
export const toResponse = (response: IncomingMessage): Response => {
  const { "content-length": length, "content-range": contentRange } = response.headers
  return { body: response, contentLength: length === undefined ? undefined : Number(length), contentRange }
}

/** The preconditions of a request. */
export type Conditions = Readonly<Record<"ifGenerationMatch" | "ifMetagenerationMatch", string>>

/** Changes fields of an object if it meets the preconditions. */
export const patch = (
  connection: Connection.Connection,
  name: string,
  fields: Resource.Fields,
  conditions: Conditions
): Result<Resource.Stored> =>
  connection
    .call({ method: "PATCH", path: objectPath(connection, name), query: conditions, ...jsonBody(fields) })
    .pipe(Effect.flatMap(Resource.fromResponse))

/** Removes an object, or only the given generation of it. Succeeds when there is none. */
export const remove = (connection: Connection.Connection, name: string, generation?: string): Result<void> => {
  const query = generation === undefined ? {} : { ifGenerationMatch: generation }
  return connection.call({ method: "DELETE", path: objectPath(connection, name), query }).pipe(
    Effect.asVoid,
    Effect.catchIf(
      ({ kind }) => kind === "NoObject" || (kind === "Changed" && generation !== undefined),
      () => Effect.void
    )
  )
}

/** One page of a listing. */
export interface Page {
  readonly objects: ReadonlyArray<Resource.Stored>
  /** The token of the next page; undefined on the last one. */
  readonly next: string | undefined
}

/** Lists up to `maxResults` objects whose names begin with the prefix. Leaves out their metadata. */
export const page = (
  connection: Connection.Connection,
  prefix: string,
  token: string | undefined,
  maxResults = 1000
): Result<Page> => {
  const query = {
    prefix,
    maxResults: String(maxResults),
    fields: "nextPageToken,items(name,size,generation,metageneration)",
    ...(token === undefined ? {} : { pageToken: token })
  }
  return connection.call({ method: "GET", path: listPath(connection), query }).pipe(
    Effect.flatMap(({ json }) => {
      const items = property(json, "items") ?? []
      const next = property(json, "nextPageToken")
      const excess = Listing.findExcess(Array.isArray(items) ? items.length : 0, maxResults)
      if (excess !== undefined) return Effect.fail(GcsFailure.unexpected(excess))
      const objects = Array.isArray(items) ? items.map(Resource.parse) : [undefined]
      return objects.every((object) => object !== undefined)
        ? Effect.succeed({ objects, next: typeof next === "string" && next !== "" ? next : undefined })
        : Effect.fail(GcsFailure.unexpected("it listed something other than objects"))
    })
  )
}
