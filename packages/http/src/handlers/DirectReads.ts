/**
 * Answers the most frequent requests without the router: contents and records of files, and segments of streams, by the id of the
 * file and with a key; contents also by a link; and lists of files. Routing, the middleware around all routes and the conversion of the answer take a
 * third of the time of a small download.
 *
 * Only what succeeds is answered here, by the services that the routes use. Every other request is left to the router, also one
 * that fails: nothing was sent then, and the router answers it with a problem. So there is no second policy, and no second text of
 * an error.
 */
import { Access } from "@holdfast/core/access/Access"
import type { RequestInfo } from "@holdfast/core/access/CurrentRequest"
import { onBehalfOf } from "@holdfast/core/CurrentTenant"
import type { Actor } from "@holdfast/core/Actor"
import { Unauthenticated } from "@holdfast/core/Errors"
import { Downloads } from "@holdfast/core/files/Downloads"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type * as FileList from "@holdfast/core/files/FileList"
import type { FileRef } from "@holdfast/core/files/FileRef"
import { Files } from "@holdfast/core/files/Files"
import type { LinkAction, Reader } from "@holdfast/core/files/links/Link"
import { isLinkKey, Links } from "@holdfast/core/files/links/Links"
import { isShareToken } from "@holdfast/core/files/shares/ShareUse"
import { isPlaybackKey, PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import { Streams } from "@holdfast/core/playback/Streams"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import { Rates } from "@holdfast/core/rates/Rates"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as KeyActors from "../auth/KeyActors.ts"
import * as PresentedKey from "../auth/PresentedKey.ts"
import { Api } from "../contract/Api.ts"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import type { RequestHeaders } from "../transfer/request/EntityTags.ts"
import * as SendContent from "../transfer/response/SendContent.ts"
import * as SendStream from "../transfer/response/SendStream.ts"
import type { DirectAnswer, FindDirectAnswer } from "./support/DirectAnswer.ts"
import * as ContentOf from "./support/ContentOf.ts"
import * as FileJson from "./support/FileJson.ts"
import * as FrequentQuery from "./support/FrequentQuery.ts"
import * as SendJson from "./support/SendJson.ts"

const { get, list } = Api.groups.files.endpoints
const { download, view } = Api.groups.reading.endpoints
const { dashFile, hlsFile, hlsRenditionFile } = Api.groups.playback.endpoints

/**
 * Ids in the path, the action or the file of a stream, and no parameter but a key: in this form a path has nothing to decode, and no
 * part that the router refuses.
 */
const address = new RegExp(
  `^${get.path.replace(/:\w+/g, "([a-z0-9_-]{40})")}(/view|/download|/streams/(hls|dash)/([a-z0-9./-]+))?` +
    `(?:\\?apiKey=([A-Za-z0-9_-]+))?$`
)

/** The same for a list, which most clients request with a query. */
const listAddress = new RegExp(`^${list.path.replace(/:\w+/g, "([a-z0-9_-]{40})")}(?:\\?(.*))?$`)

const flags: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false }

const listQuery = {
  apiKey: FrequentQuery.key,
  limit: (text: string) => (/^\d{1,4}$/.test(text) ? Number(text) : undefined),
  cursor: FrequentQuery.key,
  path: FrequentQuery.text,
  recursive: (text: string) => flags[text]
}

const segmentRoute = (format: Format, name: string): string => {
  if (format === "dash") return dashFile.path
  return name.includes("/") ? hlsRenditionFile.path : hlsFile.path
}

/** Whether a request has a body, or waits for the permission to send one. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined || headers.expect !== undefined

/** Header values by name. Node joins those of several headers, except for `set-cookie`, which no request has. */
const headersOf = ({ headers }: IncomingMessage): RequestHeaders => headers as RequestHeaders

const acceptsAll = ({ accept }: RequestHeaders): boolean => accept === undefined || accept === "*/*"

/** Makes the function for a server whose contents are local files. */
export const make: Effect.Effect<
  FindDirectAnswer,
  never,
  Access | Downloads | Files | Links | PlaybackKeys | Rates | Streams | KeyActors.Services
> = Effect.gen(function* () {
  const access = yield* Access
  const downloads = yield* Downloads
  const files = yield* Files
  const links = yield* Links
  const playbackKeys = yield* PlaybackKeys
  const rates = yield* Rates
  const streams = yield* Streams
  const findActor = yield* KeyActors.make

  /** While an address presents invalid keys, the router decides about keys that are not known to be valid. */
  const checkKnown = (actor: Actor): Effect.Effect<Actor, Unauthenticated> =>
    rates.hasFailures() && !access.isKnown(actor) ? Effect.fail(new Unauthenticated()) : Effect.succeed(actor)

  const identify = (key: string) => Effect.flatMap(findActor(key), checkKnown)

  const verifyLink = (key: string, file: FileRef): Effect.Effect<Reader, Unauthenticated> =>
    rates.hasFailures() && !links.isKnown(key, file) ? Effect.fail(new Unauthenticated()) : links.verify(key, file)

  const read = (
    route: string,
    action: LinkAction,
    request: IncomingMessage,
    file: FileRef,
    identified: Effect.Effect<Reader, Unauthenticated>
  ): DirectAnswer => ({
    route,
    answer: (response, info) =>
      Effect.flatMap(identified, (reader) =>
        Effect.flatMap(downloads.open(reader, file, action), (opened) =>
          SendContent.sendTo(
            response,
            { method: "GET", headers: headersOf(request) },
            ContentOf.download(opened, action === "view" ? "inline" : "attachment", ContentOf.nameFor(reader)),
            CommonHeaders.forResponse(response, info.requestId ?? "none")
          )
        )
      )
  })

  const verifyPlayback = (key: string, file: FileRef): Effect.Effect<Viewer, Unauthenticated> =>
    rates.hasFailures() && !playbackKeys.isKnown(key, file)
      ? Effect.fail(new Unauthenticated())
      : playbackKeys.verify(key, file)

  const segment = (
    stream: { readonly format: Format; readonly name: string },
    request: IncomingMessage,
    file: FileRef,
    key: string
  ): DirectAnswer => ({
    route: segmentRoute(stream.format, stream.name),
    answer: (response, info) =>
      Effect.flatMap(isPlaybackKey(key) ? verifyPlayback(key, file) : identify(key), (viewer) =>
        Effect.flatMap(streams.open(viewer, file, stream.format, stream.name), (opened) =>
          opened._tag === "Playlist"
            ? Effect.succeed(false)
            : SendContent.sendTo(
                response,
                { method: "GET", headers: headersOf(request) },
                SendStream.segmentContent(viewer, opened),
                CommonHeaders.forResponse(response, info.requestId ?? "none")
              )
        )
      )
  })

  const sendJson = (response: ServerResponse, { requestId }: RequestInfo, text: string): boolean => {
    SendJson.send(response, { status: 200, requestId, text })
    return true
  }

  const record = (file: FileRef, key: string): DirectAnswer => ({
    route: get.path,
    answer: (response, info) =>
      onBehalfOf(file.tenantId)(
        Effect.flatMap(identify(key), (actor) =>
          Effect.map(files.get(actor, file), (found) => sendJson(response, info, FileJson.write(found)))
        )
      )
  })

  const page = (bucket: BucketRef, query: FileList.Request, key: string): DirectAnswer => ({
    route: list.path,
    answer: (response, info) =>
      onBehalfOf(bucket.tenantId)(
        Effect.flatMap(identify(key), (actor) =>
          Effect.map(Effect.flatMap(files.list(actor, bucket, query), FileJson.writePage), (text) =>
            sendJson(response, info, text)
          )
        )
      )
  })

  const findPage = (request: IncomingMessage): DirectAnswer | undefined => {
    const [, tenantId = "", bucketId = "", text = ""] = listAddress.exec(request.url ?? "") ?? []
    const headers = headersOf(request)
    const parsed = tenantId === "" || !acceptsAll(headers) ? undefined : FrequentQuery.parse(listQuery, text)
    if (parsed === undefined) return undefined
    const { apiKey = "", ...query } = parsed
    const key = PresentedKey.findOne({ apiKey }, headers)
    return typeof key === "string" && key !== "" ? page({ tenantId, bucketId }, query, key) : undefined
  }

  return (request) => {
    if (request.method !== "GET" || rates.limitsRequests || hasBody(request)) return undefined
    const match = address.exec(request.url ?? "")
    if (match === null) return findPage(request)
    const [, tenantId = "", bucketId = "", fileId = "", action, format, name = "", apiKey = ""] = match
    const headers = headersOf(request)
    const key = PresentedKey.findOne({ apiKey }, headers)
    if (typeof key !== "string" || key === "" || isShareToken(apiKey)) return undefined
    const file = { tenantId, bucketId, fileId }
    const isLink = isLinkKey(apiKey)
    if (action === undefined) return acceptsAll(headers) && !isLink ? record(file, key) : undefined
    if (format === "hls" || format === "dash") {
      const isSegment = StreamFiles.isName(format, name) && !StreamFiles.isPlaylist(name)
      return isSegment && !isLink ? segment({ format, name }, request, file, key) : undefined
    }
    const identified = isLink ? verifyLink(key, file) : identify(key)
    return action === "/view"
      ? read(view.path, "view", request, file, identified)
      : read(download.path, "download", request, file, identified)
  }
})
