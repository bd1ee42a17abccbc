/**
 * Identifies the uploader of a request: an actor, or the holder of an upload link or of a share for uploads. It verifies links but, as `ActorIdentification`,
 * checks no permission: `Authentication` does.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { UploadGrant } from "@holdfast/core/files/links/UploadLink"
import { isUploadKey, UploadLinks } from "@holdfast/core/files/links/UploadLinks"
import { isShareToken, ShareUse } from "@holdfast/core/files/shares/ShareUse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as ActorIdentification from "./ActorIdentification.ts"
import * as PresentedKey from "./PresentedKey.ts"
import * as RequestRates from "./RequestRates.ts"
import * as ShareIdentification from "./ShareIdentification.ts"

/** The services that identification uses. */
export type Services = ActorIdentification.Services | UploadLinks | ShareUse

export type Uploader = Actor | UploadGrant

/** Identifies the uploader of a request to the bucket of its path. */
export type IdentifyUploader = (
  request: Context.Context<ActorIdentification.RequestServices>
) => Effect.Effect<Uploader, ActorIdentification.IdentificationError>

/** Whether a key is that of a link or share. Clients of resumable uploads send it in a header, as the address of an upload has no key. */
const isLinkKey = (key: string): boolean => isUploadKey(key) || isShareToken(key)

/** A link precedes the actor that a host supplies: a user of the host who follows a link may lack the permission to write files. */
export const make = Effect.fnUntraced(function* (
  identifyActor: ActorIdentification.IdentifyActor
): Effect.fn.Return<IdentifyUploader, never, Services> {
  const links = yield* UploadLinks
  const rates = yield* RequestRates.make
  const shares = yield* ShareUse
  const identifyByShare = yield* ShareIdentification.make

  return (request): ReturnType<IdentifyUploader> => {
    const query = Context.get(request, HttpServerRequest.ParsedSearchParams)
    const key = PresentedKey.findOne(query, Context.get(request, HttpServerRequest.HttpServerRequest).headers)
    if (typeof key !== "string") {
      const { apiKey } = query
      return typeof apiKey === "string" && isLinkKey(apiKey) ? Effect.fail(key) : identifyActor(request)
    }
    if (!isLinkKey(key)) return identifyActor(request)
    const { bucketId = "", tenantId = "" } = Context.get(request, HttpRouter.RouteContext).params
    const bucket = { tenantId, bucketId }
    if (isShareToken(key)) return Effect.flatMap(identifyByShare(request, key, bucket), shares.toUploadGrant)
    const refusal = links.isKnown(key, bucket) ? undefined : rates.findRefusal(request)
    return refusal ?? rates.apply(request, links.verify(key, bucket))
  }
})
