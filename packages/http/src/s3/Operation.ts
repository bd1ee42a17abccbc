/**
 * The operations of the S3 API. Each one is a module that exports an `Operation`, and a line in `Operations.ts`.
 */
import type { Services } from "@holdfast/core/Holdfast"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { Call, CallError, PublicCall } from "./Call.ts"

/** What operations may use. */
export type OperationServices = Services | Digest | SecureRandom

export type Handle = (call: Call) => Effect.Effect<HttpServerResponse, CallError, Scope.Scope>

/** Answers a request without a signature. */
export type HandlePublic = (call: PublicCall) => Effect.Effect<HttpServerResponse, CallError, Scope.Scope>

export interface Operation {
  /** As in the API reference of Amazon S3, such as `ListObjectsV2`. */
  readonly name: string
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  /** What the address names. */
  readonly target: "service" | "bucket" | "object"
  /**
   * The parameters of the query that distinguish it from other operations of this method and target, each with its value
   * if only that value does. None when absent.
   */
  readonly query?: Readonly<Record<string, string | true>>
  /** The header that distinguishes it. */
  readonly header?: string
  /** Makes the function that answers its requests. */
  readonly make: Effect.Effect<Handle, never, OperationServices>
  /** Makes the function that answers requests without a signature. Absent for an operation that requires one. */
  readonly makePublic?: Effect.Effect<HandlePublic, never, OperationServices>
}
