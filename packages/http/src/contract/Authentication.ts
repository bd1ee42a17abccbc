/**
 * The authentication of every operation: its middleware, and the places where a request may carry its API key.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { UploadGrant } from "@holdfast/core/files/links/UploadLink"
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import { problems } from "./Operation.ts"

/** The actor that the request acts as. */
export class CurrentActor extends Context.Service<CurrentActor, Actor>()("@holdfast/http/contract/CurrentActor") {}

/** The upload link of the request; undefined for a request with an API key. */
export const CurrentUploadLink = Context.Reference<UploadGrant | undefined>(
  "@holdfast/http/contract/CurrentUploadLink",
  { defaultValue: () => undefined }
)

/**
 * Identifies the actor of a request and checks its permission, before any other part of the request is examined.
 *
 * One middleware covers the three places of the key. Three security schemes of Effect would be tried one after the other, and
 * could not detect a request with two different keys.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentActor }>()(
  "@holdfast/http/contract/Authentication",
  {
    error: problems(
      "ambiguous_key",
      "invalid_request",
      "unauthenticated",
      "forbidden",
      "origin_not_allowed",
      "share_password_required",
      "rate_limited",
      "internal",
      "unavailable",
      "storage_full"
    )
  }
) {}

const withDescription = (description: string) => HttpApiSecurity.annotateMerge(OpenApi.annotations({ description }))

/** The places where a request may carry its key, in the order of their evaluation. */
export const schemes = {
  query: HttpApiSecurity.apiKey({ in: "query", key: "apiKey" }).pipe(
    withDescription(
      "For links, players and simple clients. URLs are often stored in logs and histories, so prefer a header."
    )
  ),
  bearer: HttpApiSecurity.bearer.pipe(withDescription("`Authorization: Bearer <key>`")),
  header: HttpApiSecurity.apiKey({ in: "header", key: "X-Api-Key" }).pipe(withDescription("`X-Api-Key: <key>`"))
} as const
