/**
 * A scripted server that speaks Azure's protocol, and the store and the mirror target at it.
 */
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import type * as RemoteStoreFaults from "@holdfast/testing/storage/RemoteStoreFaults"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ServerResponse } from "node:http"
import * as AzureBlobStore from "../../src/AzureBlobStore.ts"
import * as AzureMirrorTarget from "../../src/AzureMirrorTarget.ts"
import type * as AzureOptions from "../../src/AzureOptions.ts"

/** Responds with an error in Azure's format. */
export const sendError =
  (status: number, code: string, message = "No."): ScriptedServer.Respond =>
  ({ method }, response) =>
    void response
      .writeHead(status, { "content-type": "application/xml", "x-ms-error-code": code })
      .end(
        method === "HEAD" ? "" : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
      )

/** Responds that a blob or a block was created. */
export const sendCreated = (response: ServerResponse): void =>
  void response.writeHead(201, { etag: '"0x1"', "last-modified": new Date(0).toUTCString() }).end()

/** Sends the head of a response with a blob of so many bytes. */
export const beginBody = (response: ServerResponse, size: number, status = 200): ServerResponse =>
  response.writeHead(status, { etag: '"0x1"', "last-modified": new Date(0).toUTCString(), "content-length": size })

/** Returns the method and the operation (`comp`) of each request. */
export const summarize = (requests: ReadonlyArray<ScriptedServer.ReceivedRequest>): ReadonlyArray<string> =>
  requests.map(({ method, url }) => `${method} ${url.searchParams.get("comp") ?? ""}`.trim())

/** An account without its endpoint. */
export const account = {
  accountName: "account",
  accountKey: Redacted.make(Buffer.from("a key of the tests").toString("base64"))
}

/** Returns the location of a mirror target at a server. */
export const location = (endpoint: string) =>
  ({ type: "AZURE_BLOB", containerName: "container", ...account, endpoint }) as const

/** Opens a store at a server with these responses. */
export const openStore = (respond: ScriptedServer.Respond, options: RequestOptions & AzureOptions.BlockOptions = {}) =>
  Effect.gen(function* () {
    const { endpoint, requests } = yield* ScriptedServer.open(respond)
    const store = yield* AzureBlobStore.make({
      ...account,
      endpoint,
      container: "container",
      maxAttempts: 1,
      ...options
    })
    return { store, requests }
  })

/** Opens a mirror target at a server with these responses. */
export const openTarget = (respond: ScriptedServer.Respond) =>
  Effect.gen(function* () {
    const { endpoint, requests } = yield* ScriptedServer.open(respond)
    const open = AzureMirrorTarget.open({ allowPrivate: true, blockBytes: 1024 * 1024, maxAttempts: 1 })
    return { target: yield* open(location(endpoint)), requests }
  })

export const protocol: RemoteStoreFaults.Protocol = {
  open: openStore,
  sendError,
  errors: [
    [404, "BlobNotFound", "No.", "NotFound"],
    [404, "ContainerNotFound", "No.", "Internal"],
    [403, "AuthenticationFailed", "No.", "Internal"],
    [507, "InsufficientStorage", "No.", "StorageFull"],
    [400, "Md5Mismatch", "No.", "Unavailable"],
    [503, "ServerBusy", "No.", "Unavailable"],
    [500, "InternalError", "No.", "Unavailable"]
  ],
  busyCode: "ServerBusy",
  hasStatErrors: true,
  sendStored: sendCreated,
  sendStat: (response, size) => void beginBody(response, size).end(),
  beginBody,
  isRead: ({ method }) => method === "GET",
  rangeStatus: 206,
  rangeHeader: "x-ms-range",
  putMethod: "PUT",
  removedStatus: 202,
  redirectStatus: 307
}
