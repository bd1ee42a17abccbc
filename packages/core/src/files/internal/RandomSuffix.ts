/**
 * Random characters for the name of a file whose own name is taken.
 */
import * as Effect from "effect/Effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"

/** Bytes, of which five bits each are used: a billion suffixes. */
const length = 6
const letters = "0123456789abcdefghjkmnpqrstvwxyz"

export const make = (random: SecureRandom["Service"]): Effect.Effect<string> =>
  Effect.map(random.randomBytes(length), (bytes) => Array.from(bytes, (byte) => letters[byte & 31]).join(""))
