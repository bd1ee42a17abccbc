/**
 * The S3 API: authenticates a request, finds its operation, and answers.
 */
import { CurrentRequest, type RequestInfo } from "@holdfast/core/access/CurrentRequest"
import type { Actor } from "@holdfast/core/Actor"
import { onBehalfOf } from "@holdfast/core/CurrentTenant"
import { Refusals } from "@holdfast/core/events/Refusals"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import { FindClientAddress } from "../incoming/ClientAddress.ts"
import { IdentityObserver } from "../incoming/IdentityObserver.ts"
import * as RequestInfos from "../incoming/RequestInfos.ts"
import * as RequestId from "../problems/RequestId.ts"
import * as Address from "./Address.ts"
import type { Call, CallError } from "./Call.ts"
import * as Dispatcher from "./Dispatcher.ts"
import type { Operation, OperationServices } from "./Operation.ts"
import * as PublicReads from "./PublicReads.ts"
import { S3Error } from "./S3Error.ts"
import * as S3Response from "./S3Response.ts"
import * as SignatureFields from "./signature/SignatureFields.ts"

export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** What authentication finds out. */
export type Authenticated = Pick<Call, "accessKey" | "form" | "headers" | "openPayload" | "readXml" | "tenantId"> & {
  readonly actor: Actor
}

/** Authenticates a request. */
export type Authenticate = (
  request: HttpServerRequest.HttpServerRequest,
  address: Address.Address
) => Effect.Effect<Authenticated, CallError, Scope.Scope>

export interface Options {
  readonly endpoint: Address.Endpoint
  readonly authenticate: Authenticate
  readonly operations: ReadonlyArray<Operation>
}

/** Clients without a configured region sign for this one. */
export const defaultRegion = "us-east-1"

/** The answers of Amazon S3 to preflights of the CORS protocol, which browsers send without a signature. */
const noPreflight = S3Error.of("BadRequest", "Insufficient information. Origin request header needed.")
const noCors = S3Error.of("AccessForbidden")

/** Makes the app. It answers every request, also those whose address is not below that of the API. */
export const make = Effect.fnUntraced(function* ({
  authenticate,
  endpoint,
  operations
}: Options): Effect.fn.Return<App, never, OperationServices> {
  const { region = defaultRegion } = endpoint
  const assignRequestId = yield* RequestId.makeAssigner
  const refusals = yield* Refusals
  const entries = yield* Effect.forEach(operations, (operation) =>
    Effect.all({
      operation: Effect.succeed(operation),
      handle: operation.make,
      handlePublic: operation.makePublic ?? Effect.succeed(undefined)
    })
  )
  const find = Dispatcher.make(entries)
  const readPublic = yield* PublicReads.make

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, requestId: string) {
    const { headers, method } = request
    if (method === "OPTIONS") return yield* headers["origin"] === undefined ? noPreflight : noCors
    const address = yield* Address.parse(endpoint, request.url, headers["host"] ?? "")
    const authenticated = yield* Effect.result(authenticate(request, address))
    if (Result.isFailure(authenticated)) {
      if (authenticated.failure !== SignatureFields.unsigned) return yield* Effect.fail(authenticated.failure)
      const found = yield* Effect.option(find({ ...address, method, headers }))
      const handle = Option.getOrUndefined(found)?.handlePublic
      return yield* readPublic({ ...address, method, headers, request, requestId }, handle)
    }
    const signed = authenticated.success
    const { handle } = yield* find({ ...address, method, headers: signed.headers })
    return yield* onBehalfOf(signed.tenantId)(handle({ ...address, ...signed, region, method, request, requestId }))
  })

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const observe = yield* IdentityObserver
    const findClientAddress = yield* FindClientAddress
    const requestId = assignRequestId(request.headers[RequestId.header])
    const current: RequestInfo = RequestInfos.make({
      requestId,
      clientAddress: findClientAddress(request),
      headers: request.headers,
      onIdentified: (identity) => observe(request, identity),
      onRefused: (refusal) => refusals.record(refusal, current)
    })
    const resource = request.url.replace(/\?.*$/s, "")
    const response = yield* answer(request, requestId).pipe(
      Effect.catchCause((cause) => S3Response.fromCause(cause, { method: request.method, requestId, resource })),
      Effect.provideService(CurrentRequest, current),
      Effect.orDie
    )
    return HttpServerResponse.setHeaders(response, { "x-amz-request-id": requestId, [RequestId.header]: requestId })
  })
})
