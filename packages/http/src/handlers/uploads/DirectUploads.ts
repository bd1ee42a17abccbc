/**
 * Stores small contents without the router: new files, by a form or without one, and new contents of files, with an API key. The body
 * is read into memory. Routing, the middleware around all routes, the stream of the body and the conversion of the answer take a third
 * of the time of a small upload.
 *
 * The permission is checked before the body is read. A request that fails until then is left to the router, which answers it with
 * a problem. What fails later has used the body, so the router only writes the problem (`KnownFailures`). So there is no second
 * policy, and no second text of an error.
 */
import { Access } from "@holdfast/core/access/Access"
import { CurrentRequest, type RequestInfo } from "@holdfast/core/access/CurrentRequest"
import type { Actor } from "@holdfast/core/Actor"
import { onBehalfOf } from "@holdfast/core/CurrentTenant"
import { Refusals } from "@holdfast/core/events/Refusals"
import type { File } from "@holdfast/core/files/File"
import { isUploadKey } from "@holdfast/core/files/links/UploadLinks"
import * as NewFile from "@holdfast/core/files/NewFile"
import { isShareToken } from "@holdfast/core/files/shares/ShareUse"
import type { Uploads } from "@holdfast/core/files/Uploads"
import { Rates } from "@holdfast/core/rates/Rates"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as KeyActors from "../../auth/KeyActors.ts"
import * as PresentedKey from "../../auth/PresentedKey.ts"
import { Api } from "../../contract/Api.ts"
import * as KnownFailures from "../../incoming/KnownFailures.ts"
import type { RequestHeaders } from "../../transfer/request/EntityTags.ts"
import * as SmallBody from "../../transfer/upload/SmallBody.ts"
import * as UploadBody from "../../transfer/upload/UploadBody.ts"
import * as CreatedResponse from "../support/CreatedResponse.ts"
import type { DirectAnswer, FindDirectAnswer } from "../support/DirectAnswer.ts"
import * as FileJson from "../support/FileJson.ts"
import * as FileRefs from "../support/FileRefs.ts"
import * as FrequentQuery from "../support/FrequentQuery.ts"
import * as SendJson from "../support/SendJson.ts"
import * as StoreContent from "./StoreContent.ts"

const { put, reupload, upload } = Api.groups.contents.endpoints

/** The largest body that is read into memory, in bytes. */
const maxBody = 64 * 1024

/** Ids in the path: in this form a path has nothing to decode, and no part that the router refuses. */
const addressOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, "([a-z0-9_-]{40})")}(?:\\?(.*))?$`)

const [fileAddress, newAddress] = [addressOf(reupload.path), addressOf(upload.path)]

const isOnConflict = Schema.is(NewFile.OnConflict)

const newFileQuery = {
  apiKey: FrequentQuery.key,
  name: FrequentQuery.text,
  path: FrequentQuery.text,
  onConflict: (value: string) => (isOnConflict(value) ? value : undefined)
}

const fileQuery = { apiKey: FrequentQuery.key }

/** Header values by name. Node joins those of several headers, except for `set-cookie`, which no request has. */
const headersOf = ({ headers }: IncomingMessage): RequestHeaders => headers as RequestHeaders

/** The length of a body that may be read into memory; undefined for any other request. */
const lengthOf = (headers: RequestHeaders): number | undefined => {
  const { accept = "*/*", expect, "content-length": declared, "transfer-encoding": coding } = headers
  if (declared === undefined || coding !== undefined || expect !== undefined) return undefined
  if (headers["upload-complete"] !== undefined || (accept !== "*/*" && accept !== FileJson.contentType))
    return undefined
  const length = /^\d{1,6}$/.test(declared) ? Number(declared) : 0
  return length > 0 && length <= maxBody ? length : undefined
}

/** The key of a request that an API key identifies; undefined for any other request. */
const keyOf = (apiKey: string | undefined, headers: RequestHeaders): string | undefined => {
  const key = PresentedKey.findOne(apiKey === undefined ? {} : { apiKey }, headers)
  return typeof key !== "string" || key === "" || isUploadKey(key) || isShareToken(key) ? undefined : key
}

/** A request to answer. */
interface Asked {
  readonly route: string
  readonly request: IncomingMessage
  readonly length: number
  readonly key: string
  readonly tenantId: string
  readonly bucketId: string
}

interface Stored {
  readonly file: File
  /** The path of a file that the request may have created. */
  readonly location?: string
}

const send = (response: ServerResponse, { requestId }: RequestInfo, { file, location }: Stored): void =>
  SendJson.send(response, {
    status: location !== undefined && file.version === 1 ? 201 : 200,
    requestId,
    text: FileJson.write(file),
    location
  })

/** Makes the function that finds out whether a request may be answered here. */
export const make: Effect.Effect<FindDirectAnswer, never, Access | Rates | Refusals | Uploads | KeyActors.Services> =
  Effect.gen(function* () {
    const access = yield* Access
    const rates = yield* Rates
    const refusals = yield* Refusals
    const findActor = yield* KeyActors.make
    const store = yield* StoreContent.make
    const { idleTimeout, limit, minimumRate } = store.limits
    const readLimits = { idle: Duration.toMillis(idleTimeout), minimumRate }

    const answer = (
      { bucketId, key, length, request, route, tenantId }: Asked,
      save: (actor: Actor, body: UploadBody.UploadBody) => Effect.Effect<Stored, unknown>
    ): DirectAnswer => ({
      route,
      answer: (response, info) => {
        const observed: RequestInfo = { ...info, onRefused: (refusal) => refusals.record(refusal, observed) }
        const saved = (actor: Actor) =>
          SmallBody.read(request, response, { length, ...readLimits }).pipe(
            Effect.flatMap((bytes) => save(actor, UploadBody.fromBytes(headersOf(request), bytes))),
            Effect.provideService(CurrentRequest, observed),
            Effect.map((stored) => {
              send(response, info, stored)
              return true
            }),
            Effect.catchCause((cause) =>
              Effect.sync(() => {
                KnownFailures.set(request, cause)
                return false
              })
            )
          )
        return onBehalfOf(tenantId)(
          Effect.flatMap(findActor(key), (actor) =>
            rates.hasFailures() && !access.isKnown(actor)
              ? Effect.succeed(false)
              : Effect.flatMap(access.require(actor, { tenantId, bucketId }, "file:write"), () => saved(actor))
          )
        )
      }
    })

    const findReplacement = (request: IncomingMessage, headers: RequestHeaders, length: number) => {
      const [, tenantId = "", bucketId = "", fileId = "", text = ""] = fileAddress.exec(request.url ?? "") ?? []
      const query = fileId === "" ? undefined : FrequentQuery.parse(fileQuery, text)
      const key = query && keyOf(query.apiKey, headers)
      if (key === undefined) return undefined
      const asked = { route: reupload.path, request, length, key, tenantId, bucketId }
      return answer(asked, (actor, body) =>
        Effect.map(store.replace(actor, { tenantId, bucketId, fileId }, body), (file) => ({ file }))
      )
    }

    const findNew = (request: IncomingMessage, headers: RequestHeaders, length: number, isForm: boolean) => {
      const [, tenantId = "", bucketId = "", text = ""] = newAddress.exec(request.url ?? "") ?? []
      const query = tenantId === "" ? undefined : FrequentQuery.parse(newFileQuery, text)
      const key = query && keyOf(query.apiKey, headers)
      if (query === undefined || key === undefined) return undefined
      const bucket = { tenantId, bucketId }
      const { onConflict = "fail" } = query
      const asked = { route: isForm ? upload.path : put.path, request, length, key, ...bucket }
      return answer(asked, (actor, body) => {
        const newUpload = { body, bucket, query, onConflict, terms: undefined }
        const toStored = (file: File) =>
          Effect.map(CreatedResponse.locationOf([...FileRefs.filesPath(bucket), file.id]), (location) => ({
            file,
            location
          }))
        return isForm
          ? Effect.flatMap(store.form(actor, newUpload), toStored)
          : Effect.flatMap(store.bytes(actor, newUpload), toStored)
      })
    }

    return (request) => {
      const { method } = request
      if ((method !== "POST" && method !== "PUT") || rates.limitsRequests) return undefined
      const headers = headersOf(request)
      const length = lengthOf(headers)
      if (length === undefined || length > limit) return undefined
      return method === "POST"
        ? (findReplacement(request, headers, length) ?? findNew(request, headers, length, true))
        : findNew(request, headers, length, false)
    }
  })
