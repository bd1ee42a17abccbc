/**
 * The methods of the JSON API's `objects` that are used here.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import * as Connection from "./Connection.ts"
import * as GcsFailure from "./GcsFailure.ts"
import * as Resource from "./Resource.ts"
import { property } from "./Transport.ts"

type Failing<A> = Effect.Effect<A, GcsFailure.GcsFailure>

const jsonType = { "content-type": "application/json; charset=UTF-8" }

/** A request with a resource. */
export const withJson = (value: object): Pick<Connection.Request, "headers" | "body"> => ({
  headers: jsonType,
  body: [Buffer.from(JSON.stringify(value))]
})

export const uploadPath = ({ bucket }: Connection.Connection): string =>
  `/upload/storage/v1/b/${Connection.encode(bucket)}/o`

const listPath = ({ bucket }: Connection.Connection): string => `/storage/v1/b/${Connection.encode(bucket)}/o`

const path = (connection: Connection.Connection, name: string): string =>
  `${listPath(connection)}/${Connection.encode(name)}`

/** A type for the header of a part, where nothing may end it; the resource says it in any case. */
const typeOf = ({ contentType }: Resource.Description): string =>
  /^[\x21-\x7e][\x20-\x7e]*$/.test(contentType) ? contentType : "application/octet-stream"

/** Writes an object in one request. The service refuses bytes that do not have the MD5, base64. */
export const insert = (
  connection: Connection.Connection,
  name: string,
  resource: Resource.Description,
  bytes: Uint8Array,
  md5Hash: string
): Failing<Resource.Stored> => {
  const boundary = randomUUID()
  const body = [
    Buffer.from(`--${boundary}\r\ncontent-type: ${jsonType["content-type"]}\r\n\r\n`),
    Buffer.from(JSON.stringify({ ...resource, name, md5Hash })),
    Buffer.from(`\r\n--${boundary}\r\ncontent-type: ${typeOf(resource)}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`)
  ]
  const headers = { "content-type": `multipart/related; boundary=${boundary}` }
  const query = { uploadType: "multipart" }
  return connection
    .call({ method: "POST", path: uploadPath(connection), query, headers, body })
    .pipe(Effect.flatMap(Resource.of))
}

export const get = (connection: Connection.Connection, name: string): Failing<Resource.Stored> =>
  connection.call({ method: "GET", path: path(connection, name) }).pipe(Effect.flatMap(Resource.of))

/** An object's bytes, or a range of them (RFC 9110, section 14). */
export const media = (
  connection: Connection.Connection,
  name: string,
  range: string | undefined
): Effect.Effect<IncomingMessage, GcsFailure.GcsFailure, Scope.Scope> => {
  // Nobody on the way is to make other bytes of them.
  const headers = { "accept-encoding": "identity", ...(range === undefined ? {} : { range }) }
  return connection.open({ method: "GET", path: path(connection, name), query: { alt: "media" }, headers })
}

/** Conditions under which a request is carried out. */
export type Conditions = Readonly<Record<"ifGenerationMatch" | "ifMetagenerationMatch", string>>

export const patch = (
  connection: Connection.Connection,
  name: string,
  resource: Resource.Description,
  conditions: Conditions
): Failing<Resource.Stored> =>
  connection
    .call({ method: "PATCH", path: path(connection, name), query: conditions, ...withJson(resource) })
    .pipe(Effect.flatMap(Resource.of))

/** Removes an object, or only that of a generation; one that is missing is a success. */
export const remove = (connection: Connection.Connection, name: string, generation?: string): Failing<void> => {
  const query = generation === undefined ? {} : { ifGenerationMatch: generation }
  return connection.call({ method: "DELETE", path: path(connection, name), query }).pipe(
    Effect.asVoid,
    Effect.catchIf(
      ({ kind }) => kind === "NoObject" || (kind === "Changed" && generation !== undefined),
      () => Effect.void
    )
  )
}

export interface Page {
  readonly objects: ReadonlyArray<Resource.Stored>
  readonly next: string | undefined
}

/** Up to 1,000 objects whose names begin with the prefix. Metadata is left out. */
export const page = (
  connection: Connection.Connection,
  prefix: string,
  token: string | undefined,
  maxResults = 1000
): Failing<Page> => {
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
      const objects = Array.isArray(items) ? items.map(Resource.parse) : [undefined]
      return objects.every((object) => object !== undefined)
        ? Effect.succeed({ objects, next: typeof next === "string" ? next : undefined })
        : Effect.fail(GcsFailure.unexpected("a list of something else than objects"))
    })
  )
}
