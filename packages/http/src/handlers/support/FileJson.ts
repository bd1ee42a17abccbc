/**
 * Writes the records of files as JSON, as their schemas in the contract encode them, but faster: encoding by
 * schemas takes most of the time of a large page.
 */
import type { File } from "@holdfast/core/files/File"
import type { FilePage } from "@holdfast/core/files/FileList"
import * as Time from "@holdfast/core/Time"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

type EncodedFile = (typeof File)["Encoded"]

const encodeTime = (time: DateTime.Utc): string => Time.toIso(DateTime.toEpochMillis(time))

/** Returns the members of a record in the order of its schema. Without `expands`, `JSON.stringify` omits it. */
const encode = (file: File): EncodedFile => {
  const createdAt = encodeTime(file.createdAt)
  return {
    id: file.id,
    name: file.name,
    path: file.path,
    alias: file.alias,
    contentType: file.contentType,
    etag: file.etag,
    checksum: file.checksum,
    version: file.version,
    state: file.state,
    damaged: file.damaged,
    metadata: file.metadata,
    headers: file.headers,
    createdAt,
    updatedAt: file.updatedAt === file.createdAt ? createdAt : encodeTime(file.updatedAt),
    expands: file.expands
  }
}

export const contentType = "application/json"

const respond = (text: string) => HttpServerResponse.text(text, { contentType })

/** Returns the text of a record. */
export const write = (file: File): string => JSON.stringify(encode(file))

/** Responds with a record. */
export const respondWithFile = (file: File): HttpServerResponse.HttpServerResponse => respond(write(file))

/** Records that are written without giving other requests a turn: less than a millisecond. */
const batchSize = 200

/** Returns the text of a page. */
export const writePage = ({ folders, items, nextCursor }: FilePage): Effect.Effect<string> => {
  const end = `],"folders":${JSON.stringify(folders)},"nextCursor":${JSON.stringify(nextCursor)}}`
  const write = (from: number) => JSON.stringify(items.slice(from, from + batchSize).map(encode)).slice(1, -1)
  if (items.length <= batchSize) return Effect.succeed(`{"items":[${write(0)}${end}`)
  return Effect.gen(function* () {
    let text = `{"items":[${write(0)}`
    for (let from = batchSize; from < items.length; from += batchSize) {
      yield* Effect.yieldNow
      text += `,${write(from)}`
    }
    return text + end
  })
}

/** Responds with a page. */
export const respondWithPage = (page: FilePage): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(writePage(page), respond)
