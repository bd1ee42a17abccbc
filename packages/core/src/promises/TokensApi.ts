/**
 * `holdfast.tokens`.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InvalidRequest } from "../Errors.ts"
import type * as Page from "../Page.ts"
import type * as Token from "../tokens/Token.ts"
import { Tokens } from "../tokens/Tokens.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call, InTenant } from "./Call.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"

export type TokenRecord = Plain.Plain<Token.Token>

export interface CreateTokenInput extends InTenant {
  readonly name: string
  readonly memberId: string
  /** In the future; null only where the deployment allows tokens that never expire. */
  readonly expiresAt: Plain.TimeInput | null
}

/** Where a token is. */
export interface TokenInput extends InTenant {
  readonly tokenId: string
}

const toUtc = (time: Plain.TimeInput | null): Effect.Effect<DateTime.Utc | null, InvalidRequest> => {
  if (time === null) return Effect.succeed(null)
  const isTime = time instanceof Date || typeof time === "string"
  return Effect.mapError(
    Effect.fromOption(isTime ? Option.map(DateTime.make(time), DateTime.toUtc) : Option.none()),
    () => InvalidRequest.at("/expiresAt", "must be a Date, an ISO 8601 time, or null")
  )
}

export class TokensApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /** Makes an API token for a member. Its `key` is shown this once. */
  create(actor: ActorHandle, input: CreateTokenInput, options?: CallOptions): Promise<Plain.Plain<Token.CreatedToken>> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        const { create } = yield* Tokens
        const { memberId, name, tenantId } = input
        const expiresAt = yield* toUtc(input.expiresAt)
        return Plain.fromCore(yield* create(as, tenantId, { name, member: { id: memberId }, expiresAt }))
      })
    )
  }

  list(
    actor: ActorHandle,
    input: InTenant & Page.Request,
    options?: CallOptions
  ): Promise<Plain.Plain<Page.Page<Token.Token>>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Tokens.use((tokens) => tokens.list(as, input.tenantId, input)),
        Plain.fromCore
      )
    )
  }

  get(actor: ActorHandle, input: TokenInput, options?: CallOptions): Promise<TokenRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Tokens.use((tokens) => tokens.get(as, input.tenantId, input.tokenId)),
        Plain.fromCore
      )
    )
  }

  /** Revokes a token for good; holds for its next use. */
  revoke(actor: ActorHandle, input: TokenInput, options?: CallOptions): Promise<void> {
    return this.#call(actor, input, options, (as) =>
      Tokens.use((tokens) => tokens.revoke(as, input.tenantId, input.tokenId))
    )
  }
}
