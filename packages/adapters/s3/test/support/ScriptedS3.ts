/**
 * A scripted server that speaks S3's protocol, and the store and the mirror target at it.
 */
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import type * as RemoteStoreFaults from "@holdfast/testing/storage/RemoteStoreFaults"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { OutgoingHttpHeaders } from "node:http"
import * as S3BlobStore from "../../src/S3BlobStore.ts"
import * as S3MirrorTarget from "../../src/S3MirrorTarget.ts"
import type * as S3Options from "../../src/S3Options.ts"

/** Responds with an error in S3's format. */
export const sendError =
  (status: number, code: string, message?: string): ScriptedServer.Respond =>
  (_request, response) =>
    void response
      .writeHead(status, { "content-type": "application/xml" })
      .end(`<Error><Code>${code}</Code>${message === undefined ? "" : `<Message>${message}</Message>`}</Error>`)

interface Response {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

/** Returns the responses of a service that accepts every upload, and then has an object of so many bytes. */
export const acceptUpload =
  (size: number) =>
  ({ method, url }: ScriptedServer.ReceivedRequest): Response => {
    if (method === "POST" && url.searchParams.has("uploads")) {
      const body = "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"
      return { status: 200, headers: {}, body }
    }
    if (method === "PUT") return { status: 200, headers: { etag: `"${url.searchParams.get("partNumber")}"` }, body: "" }
    if (method === "HEAD") return { status: 200, headers: { "content-length": size }, body: "" }
    if (method === "DELETE") return { status: 204, headers: {}, body: "" }
    // Some services leave the entity tag empty.
    return { status: 200, headers: {}, body: "<CompleteMultipartUploadResult><ETag/></CompleteMultipartUploadResult>" }
  }

/** Returns the method and the names of the query's parameters of each request. */
export const summarize = (requests: ReadonlyArray<ScriptedServer.ReceivedRequest>): ReadonlyArray<string> =>
  requests.map(({ method, url }) => `${method} ${[...url.searchParams.keys()].join()}`.trim())

/** Opens a store at a server with these responses. */
export const openStore = (respond: ScriptedServer.Respond, options: Partial<S3Options.Options> = {}) =>
  Effect.gen(function* () {
    const { endpoint, requests } = yield* ScriptedServer.open(respond)
    const store = yield* S3BlobStore.make({
      bucket: "bucket",
      region: "us-east-1",
      endpoint,
      forcePathStyle: true,
      credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret") },
      maxAttempts: 1,
      ...options
    })
    return { store, requests }
  })

/** The location of a mirror target at a server. */
export const location = (endpoint: string) =>
  ({
    type: "S3",
    bucketName: "bucket",
    region: "us-east-1",
    endpoint,
    forcePathStyle: true,
    accessKeyId: "AKIDOFTESTS",
    secretAccessKey: Redacted.make("secret-of-tests")
  }) as const

/** Opens a mirror target at a server with these responses. */
export const openTarget = (respond: ScriptedServer.Respond, options: RequestOptions = {}) =>
  Effect.gen(function* () {
    const { endpoint, requests } = yield* ScriptedServer.open(respond)
    const open = S3MirrorTarget.open({ allowPrivate: true, maxAttempts: 1, ...options })
    return { target: yield* open(location(endpoint)), requests }
  })

export const protocol: RemoteStoreFaults.Protocol = {
  open: openStore,
  sendError,
  errors: [
    [404, "NoSuchKey", "", "NotFound"],
    [404, "NoSuchBucket", "", "Internal"],
    [403, "AccessDenied", "", "Internal"],
    [403, "QuotaExceeded", "", "StorageFull"],
    [507, "InsufficientStorage", "", "StorageFull"],
    [503, "SlowDown", "", "Unavailable"],
    [500, "InternalError", "", "Unavailable"]
  ],
  busyCode: "SlowDown",
  // The answer to a HEAD has no body.
  hasStatErrors: false,
  sendStored: (response) => void response.writeHead(200).end(),
  sendStat: (response, size) => void response.writeHead(200, { "content-length": size }).end(),
  beginBody: (response, size, status = 200) => response.writeHead(status, { "content-length": size }),
  isRead: ({ method }) => method === "GET",
  rangeStatus: 200,
  rangeHeader: "range",
  putMethod: "PUT",
  removedStatus: 204
}
