/**
 * The name of one request, in its answer (`X-Request-Id`), in problems and in the log.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"

export const header = "x-request-id"

/** The request that is being answered. */
export const RequestId = Context.Reference<string>("@holdfast/http/problems/RequestId", { defaultValue: () => "none" })

/** A token that may be written into logs and headers as it is: UUIDs, ULIDs, trace ids, `Root=1-67891233-abcdef`. */
const sane = /^[\w.:+/=@~-]{1,128}$/

/**
 * Names requests: by what the caller says where that is a sane token, else by a random prefix of this process and a
 * count.
 */
export const make: Effect.Effect<(given: string | undefined) => string, never, SecureRandom> = Effect.gen(function* () {
  const random = yield* SecureRandom
  const prefix = Hex.encode(yield* random.randomBytes(8))
  let count = 0
  return (given) => (given !== undefined && sane.test(given) ? given : `req_${prefix}_${(++count).toString(36)}`)
})
