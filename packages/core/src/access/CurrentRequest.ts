/**
 * The request on whose behalf an effect runs, for records of who did what. It grants no permission.
 */
import * as Context from "effect/Context"
import type { Principal } from "./AccessRepository.ts"

/** The ids of an account and of the key that it presented; null for an account that the host program authenticated. */
export interface RequestIdentity {
  readonly accountId: string
  readonly tokenId: string | null
}

/** A request that was refused, although its key is or was one of the deployment. */
export interface Refusal {
  /** The tenant that the request names. It need not exist. */
  readonly tenantId: string
  readonly identity: Principal
  /** Why: the reason, and the missing permission or the exceeded rate. Never a value that the client chose. */
  readonly cause: Readonly<Record<string, string>>
}

export interface RequestInfo {
  /** The id of the request, as in its answer (`X-Request-Id`) and in the log. */
  readonly requestId: string | undefined
  /** The client's IP address, beyond trusted proxies; undefined if the host of a mounted API does not know it. */
  readonly clientAddress: string | undefined
  /** Returns the origin of the web page that sent the request, null if the request states none; undefined without a request. */
  readonly pageOrigin?: (() => string | null) | undefined
  /** Called with the identity of the request, each time that `Access` has found it. */
  readonly onIdentified?: ((identity: RequestIdentity) => void) | undefined
  /** Called when `Access` or a rate refuses the request. */
  readonly onRefused?: ((refusal: Refusal) => void) | undefined
}

/** Without a request, for example in a program that uses the library, all fields are undefined. */
export const CurrentRequest = Context.Reference<RequestInfo>("@holdfast/core/access/CurrentRequest", {
  defaultValue: () => ({ requestId: undefined, clientAddress: undefined })
})
