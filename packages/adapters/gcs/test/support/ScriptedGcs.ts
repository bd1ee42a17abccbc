/**
 * A scripted server that speaks Google's JSON API, and the store at it. It grants tokens to every client.
 */
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import type * as RemoteStoreFaults from "@holdfast/testing/storage/RemoteStoreFaults"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import * as GcsBlobStore from "../../src/GcsBlobStore.ts"
import * as GcsMirrorTarget from "../../src/GcsMirrorTarget.ts"
import type * as GcsOptions from "../../src/GcsOptions.ts"
import * as Documents from "./Documents.ts"

export const sendJson = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))

/** Responds with an error in the format of the JSON API. */
export const sendError =
  (status: number, reason: string, message = "no"): ScriptedServer.Respond =>
  (_request, response) =>
    sendJson(response, { error: { code: status, message, errors: [{ reason, message, domain: "global" }] } }, status)

/** Returns the resource of an object. */
export const resource = (size: number, md5Hash?: string) => ({
  name: BlobKeys.key(0),
  size: String(size),
  generation: "17",
  metageneration: "1",
  md5Hash
})

/** Responds as a service that accepts a resumable upload of so many bytes. */
export const acceptUpload =
  (size: number): ScriptedServer.Respond =>
  ({ headers, method }, response) => {
    if (method === "POST") return void response.writeHead(200, { location: "http://service/?upload_id=1" }).end()
    const [, last = "", total] = /-(\d+)\/(\d+|\*)$/.exec(headers["content-range"] ?? "") ?? []
    if (total !== "*") return sendJson(response, resource(size))
    response.writeHead(308, { range: `bytes=0-${last}`, "content-length": 0 }).end()
  }

/** Opens a server with these responses, which grants tokens. */
const openServer = (respond: ScriptedServer.Respond) =>
  ScriptedServer.open(respond, {
    respondFirst: ({ url }, response) => {
      if (url.pathname !== "/token") return false
      sendJson(response, { access_token: "token", expires_in: 3600 })
      return true
    }
  })

const openAt = (endpoint: string, tokenEndpoint: string, options: RequestOptions) =>
  GcsMirrorTarget.open({ allowPrivate: true, maxAttempts: 1, ...options })({
    type: "GCS",
    projectId: "testing",
    bucketName: "bucket",
    credentials: Documents.make(`${tokenEndpoint}/token`),
    endpoint
  })

/** Opens a mirror target at a server with these responses. */
export const openTarget = (respond: ScriptedServer.Respond) =>
  Effect.flatMap(openServer(respond), ({ endpoint }) => openAt(endpoint, endpoint, {}))

/** Opens a mirror target at an endpoint. Another server grants its tokens. */
export const openTargetAt = (endpoint: string, options: RequestOptions) =>
  Effect.flatMap(
    openServer((_request, response) => void response.end()),
    (tokens) => openAt(endpoint, tokens.endpoint, options)
  )

/** Opens a store at a server with these responses. */
export const openStore = (respond: ScriptedServer.Respond, options: Partial<GcsOptions.Options> = {}) =>
  Effect.gen(function* () {
    const { endpoint, requests } = yield* openServer(respond)
    const store = yield* GcsBlobStore.make({
      bucket: "bucket",
      endpoint,
      credentials: Documents.make(`${endpoint}/token`),
      maxAttempts: 1,
      ...options
    })
    return { store, requests, endpoint }
  })

export const protocol: RemoteStoreFaults.Protocol = {
  open: openStore,
  sendError,
  errors: [
    [404, "notFound", "No such object: bucket/name", "NotFound"],
    [404, "notFound", "The specified bucket does not exist.", "Internal"],
    [403, "forbidden", "no", "Internal"],
    [403, "quotaExceeded", "no", "StorageFull"],
    [429, "rateLimitExceeded", "no", "Unavailable"],
    [503, "backendError", "no", "Unavailable"]
  ],
  busyCode: "backendError",
  hasStatErrors: true,
  sendStored: (response, size) => sendJson(response, resource(size)),
  sendStat: (response, size) => sendJson(response, resource(size)),
  beginBody: (response, size, status = 200) => response.writeHead(status, { "content-length": size }),
  isRead: ({ url }) => url.searchParams.has("alt"),
  rangeStatus: 200,
  rangeHeader: "range",
  putMethod: "POST",
  removedStatus: 204,
  // Another generation belongs to another writer.
  assertUndo: (request) => assert.strictEqual(request?.url.searchParams.get("ifGenerationMatch"), "17"),
  redirectStatus: 302
}
