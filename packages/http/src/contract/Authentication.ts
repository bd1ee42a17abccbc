/**
 * Who asks, on every operation.
 */
import type { Actor } from "@holdfast/core/Actor"
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import { problems } from "./Operation.ts"

/** Who asks. */
export class CurrentActor extends Context.Service<CurrentActor, Actor>()("@holdfast/http/contract/CurrentActor") {}

/**
 * Finds out who asks, and whether they may, before anything else of the request is looked at.
 *
 * The key's three places are one middleware, not three schemes of Effect's: those are tried one after the other, and
 * could not tell that two keys differ.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentActor }>()(
  "@holdfast/http/contract/Authentication",
  { error: problems("ambiguous_key", "unauthenticated", "forbidden", "internal", "unavailable", "storage_full") }
) {}

const described = (description: string) => HttpApiSecurity.annotateMerge(OpenApi.annotations({ description }))

/** The places where the key may be, in the order in which they are looked at. */
export const schemes = {
  query: HttpApiSecurity.apiKey({ in: "query", key: "apiKey" }).pipe(
    described("For links, players and simple clients. Addresses are easily kept: prefer a header.")
  ),
  bearer: HttpApiSecurity.bearer.pipe(described("`Authorization: Bearer <key>`")),
  header: HttpApiSecurity.apiKey({ in: "header", key: "X-Api-Key" }).pipe(described("`X-Api-Key: <key>`"))
} as const
