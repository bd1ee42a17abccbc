/**
 * The id of a request. It is in the answer (`X-Request-Id`), in problems and in the log.
 */
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as MaskKeys from "@holdfast/core/secrets/MaskKeys"

export const header = "x-request-id"

/** The id of the current request. */
export const current: Effect.Effect<string> = Effect.map(CurrentRequest, ({ requestId }) => requestId ?? "none")

/** Ids that are safe in logs and headers: UUIDs, ULIDs, trace ids, `Root=1-67891233-abcdef`. */
const safe = /^[\w.:+/=@~-]{1,128}$/

/**
 * Makes the function that assigns ids. A request gets the id that the client sent if that id is safe and has not the shape of a
 * key, otherwise a random prefix of this process with a counter.
 */
export const makeAssigner: Effect.Effect<(sent: string | undefined) => string, never, SecureRandom> = Effect.gen(
  function* () {
    const random = yield* SecureRandom
    const prefix = Hex.encode(yield* random.randomBytes(8))
    let count = 0
    return (sent) =>
      sent !== undefined && safe.test(sent) && !MaskKeys.containsKey(sent)
        ? sent
        : `req_${prefix}_${(++count).toString(36)}`
  }
)
