/**
 * The SDK's client for one container, as effects that fail with `AzureFailure`. The SDK is loaded when the first client
 * is made, not when this package is imported.
 */
import type { ContainerClient, RequestPolicyFactory } from "@azure/storage-blob"
import * as AbortableRequest from "@holdfast/outbound/AbortableRequest"
import * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import * as RequestOptions from "@holdfast/outbound/RequestOptions"
import type { RequestLine } from "@holdfast/outbound/RequestRules"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as AzureFailure from "../AzureFailure.ts"
import type * as AzureOptions from "../../AzureOptions.ts"
import * as Account from "./Account.ts"
import * as ListingPolicy from "./ListingPolicy.ts"
import type * as ParseListing from "./ParseListing.ts"
import * as Sdk from "./Sdk.ts"
import * as SocketTimeouts from "./SocketTimeouts.ts"

/** Makes one request of the SDK. The signal aborts it. */
type Request<A> = (container: ContainerClient, signal: AbortSignal) => Promise<A>

/** A client of one container. */
export interface Connection {
  /** Makes a request for one answer, as `AbortableRequest.call`. */
  readonly call: <A>(request: Request<A>) => Effect.Effect<A, AzureFailure.AzureFailure>
  /** Makes a request whose answer has a body, as `AbortableRequest.open`. */
  readonly open: <A>(request: Request<A>) => Effect.Effect<A, AzureFailure.AzureFailure, Scope.Scope>
  /** Requests a page of a listing. */
  readonly list: (query: ListingQuery) => Effect.Effect<ParseListing.Page, AzureFailure.AzureFailure>
}

export interface ListingQuery {
  readonly prefix: string
  readonly maxPageSize: number
  /** The token of the page; undefined for the first one. */
  readonly token: string | undefined
}

export interface Settings extends RequestOptions.RequestOptions {
  readonly account: AzureOptions.Account
  readonly container: string
  /** Whether addresses are permitted that are not on the public Internet. */
  readonly allowPrivate: boolean
}

/** Milliseconds before the second retry. The first one is immediate. */
const retryDelay = 500

/**
 * Returns the SDK's pipeline options. The SDK passes `agent` and `redirectOptions` on to Azure's core library. With its
 * own agent that library ignores the environment's proxies. Without redirects a redirect is a response like any other.
 */
const pipelineOptions = (agent: GuardedAgents.Agents["http"], maxTries: number) => ({
  agent,
  redirectOptions: { maxRetries: 0 },
  retryOptions: { maxTries, retryDelayInMs: retryDelay }
})

/** Every other GET has an operation in its query: `comp`. */
const isContent = ({ method, path }: RequestLine): boolean => method === "GET" && !/[?&]comp=/.test(path)

/** The commit of a list of blocks, for which Azure grants itself a minute. */
const isSlow = ({ method, path }: RequestLine): boolean => method === "PUT" && /[?&]comp=blocklist(?:&|$)/.test(path)

/** Makes a client, whose connections are closed with the scope. Makes no request. */
export const make = Effect.fnUntraced(function* (
  settings: Settings
): Effect.fn.Return<Connection, AzureFailure.AzureFailure, Scope.Scope> {
  const { connectTimeout, idleTimeout, maxAttempts, maxConnections, requestTimeout } = RequestOptions.resolve(
    settings,
    RequestOptions.storeConnections
  )
  const sdk = yield* Sdk.atOnce
  const { credential, url } = yield* Account.resolve(sdk, settings.account, settings.container)
  const agents = yield* GuardedAgents.scoped(
    settings,
    { maxSockets: maxConnections },
    { isContent, isSlow, requestTimeout }
  )
  const agent = new URL(url).protocol === "https:" ? agents.https : agents.http
  SocketTimeouts.install(agent, { connect: connectTimeout, idle: idleTimeout })
  const policy = ListingPolicy.make()
  const makeClient = (factories: ReadonlyArray<RequestPolicyFactory>) => {
    const pipeline = sdk.newPipeline(credential, pipelineOptions(agent, maxAttempts))
    pipeline.factories.push(...factories)
    return new sdk.ContainerClient(url, pipeline)
  }
  const [container, lister] = yield* Effect.try({
    try: () => [makeClient([]), makeClient([policy.factory])] as const,
    catch: AzureFailure.fromCause
  })
  const list = async ({ maxPageSize, prefix, token }: ListingQuery, abortSignal: AbortSignal) => {
    await lister
      .listBlobsFlat({ prefix, abortSignal })
      .byPage({ maxPageSize, ...(token === undefined ? {} : { continuationToken: token }) })
      .next()
    const answered = policy.find(abortSignal)
    if (answered === undefined) throw AzureFailure.unexpected("it listed something other than blobs")
    return answered
  }
  /** Async, so that an error that the SDK throws before its request becomes a failure as well. */
  const begin =
    <A>(request: Request<A>) =>
    async (signal: AbortSignal): Promise<A> =>
      request(container, signal)

  return {
    call: (request) => AbortableRequest.call(begin(request), AzureFailure.fromCause),
    open: (request) => AbortableRequest.open(begin(request), AzureFailure.fromCause),
    list: (query) => AbortableRequest.call((signal) => list(query, signal), AzureFailure.fromCause)
  }
})
