/**
 * Applies the rates of the deployment to requests: to those of a key and of a tenant after authentication, and before it to those
 * of a client address that has presented many keys that are not valid.
 */
import { Access, type IdentifyError } from "@holdfast/core/access/Access"
import type { Anonymous } from "@holdfast/core/access/Anonymous"
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import type { Actor } from "@holdfast/core/Actor"
import * as Ids from "@holdfast/core/Ids"
import type { Reader } from "@holdfast/core/files/links/Link"
import type { UploadGrant } from "@holdfast/core/files/links/UploadLink"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import { type PolicyState, type RateLimited, Rates } from "@holdfast/core/rates/Rates"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as AddressGroup from "../incoming/AddressGroup.ts"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import * as PresentedKey from "./PresentedKey.ts"
import * as RateLimitHeaders from "./RateLimitHeaders.ts"

/** The services of a request that rates depend on. */
export type RequestServices = HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext

export interface RequestRates {
  /**
   * Returns the failure of a request from an address that exceeds the rate of failed authentications; undefined for any other
   * request. A caller lets a key pass all the same that is known to be valid: clients that share the address go on working.
   */
  readonly findRefusal: (request: Context.Context<RequestServices>) => Effect.Effect<never, RateLimited> | undefined

  /** Returns the effect that identifies a requester, with the request counted for its key and tenant. */
  readonly apply: <V extends Keyed, E>(
    request: Context.Context<RequestServices>,
    identify: Effect.Effect<V, E>
  ) => Effect.Effect<V, E | RateLimited | IdentifyError>

  /** Counts a request without a key for its client address. The host of a mounted API may know none: then there is no rate. */
  readonly admitAnonymous: (request: Context.Context<RequestServices>) => Effect.Effect<void, RateLimited>
}

/** Who presents a key: an actor, or the holder of what was made with the key of one. */
type Keyed = Exclude<Viewer | Reader | UploadGrant, Anonymous>

/** Returns the tenant that a request concerns. The addresses of the page of a share name the share alone. */
const tenantOf = (request: Context.Context<RequestServices>, requester: Keyed): string =>
  requester._tag === "ShareGrant"
    ? requester.share.tenantId
    : (Context.get(request, HttpRouter.RouteContext).params["tenantId"] ?? "")

/** Returns the actor on whose behalf a requester reads or uploads. */
const actorOf = (requester: Keyed): Actor => ("parent" in requester ? requester.parent : requester)

export const make: Effect.Effect<RequestRates, never, Access | Rates> = Effect.gen(function* () {
  const access = yield* Access
  const rates = yield* Rates

  const register = (request: Context.Context<RequestServices>, headers: CommonHeaders.ResponseHeaders): void =>
    CommonHeaders.register(Context.get(request, HttpServerRequest.HttpServerRequest), headers)

  const registerStates = (request: Context.Context<RequestServices>, states: ReadonlyArray<PolicyState>): void => {
    if (states.length > 0) register(request, RateLimitHeaders.ofStates(states))
  }

  /** Fails with the error, and reports it in the headers of the answer. */
  const refuse = (request: Context.Context<RequestServices>, error: RateLimited): Effect.Effect<never, RateLimited> =>
    Effect.suspend(() => {
      register(request, RateLimitHeaders.ofRefusal(error))
      return Effect.fail(error)
    })

  const admit = (request: Context.Context<RequestServices>, requester: Keyed) => {
    const tenantId = tenantOf(request, requester)
    return Effect.flatMap(
      access.identify(actorOf(requester), Ids.is("ten", tenantId) ? tenantId : undefined),
      (identity) => {
        if (identity === "system") return Effect.void
        const { account, credential, member } = identity
        const subject = {
          // All viewers of a page have the same playback key or link.
          credentialId: "parent" in requester ? undefined : (credential?.id ?? account.id),
          // A stranger does not use up the rate of a tenant.
          tenantId: member === null ? undefined : tenantId
        }
        return rates.admit(subject).pipe(
          Effect.map((states) => registerStates(request, states)),
          Effect.catch((error) => {
            if (Ids.is("ten", tenantId)) {
              const cause = { reason: error.code, policy: error.policy }
              Context.get(request, CurrentRequest).onRefused?.({ tenantId, identity, cause })
            }
            return refuse(request, error)
          })
        )
      }
    )
  }

  return {
    admitAnonymous: (request) => {
      const { clientAddress } = Context.get(request, CurrentRequest)
      if (clientAddress === undefined) return Effect.void
      const client = AddressGroup.of(clientAddress)
      return rates.admit({ credentialId: undefined, tenantId: undefined, client }).pipe(
        Effect.map((states) => registerStates(request, states)),
        Effect.catch((error) => refuse(request, error))
      )
    },
    findRefusal: (request) => {
      if (!rates.hasFailures()) return undefined
      const { clientAddress } = Context.get(request, CurrentRequest)
      const error = clientAddress === undefined ? undefined : rates.findRefusal(AddressGroup.of(clientAddress))
      return error === undefined ? undefined : refuse(request, error)
    },
    apply: (request, identify) =>
      rates.limitsRequests ? Effect.tap(identify, (requester) => admit(request, requester)) : identify
  }
})

/**
 * Makes the function that counts a failed authentication, for each request that is answered with 401. A request without a key is not
 * an attempt.
 */
export const makeFailureCounter: Effect.Effect<
  (request: HttpServerRequest.HttpServerRequest, clientAddress: string | undefined) => void,
  never,
  Rates
> = Effect.map(Rates, ({ countFailure }) => (request, clientAddress) => {
  if (clientAddress === undefined) return
  const start = request.url.indexOf("?")
  const apiKey = start < 0 ? [] : new URLSearchParams(request.url.slice(start)).getAll("apiKey")
  if (PresentedKey.findAll({ apiKey }, request.headers).length > 0) countFailure(AddressGroup.of(clientAddress))
})
