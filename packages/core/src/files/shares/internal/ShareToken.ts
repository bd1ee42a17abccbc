/**
 * The format of the tokens of shares: `hfs_` and 32 random bytes in base64url. Only the SHA-256 of a token is stored.
 */
import { Digest, sha256 } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"

const shape = /^hfs_[A-Za-z0-9_-]{43}$/
const encoder = new TextEncoder()

/** Whether a text has the prefix of a token, as opposed to an API key. */
export const isShareToken = (text: string): boolean => text.startsWith("hfs_")

/** Whether a text has the form of a token. */
export const isWellFormed = (text: string): boolean => shape.test(text)

/** Returns the SHA-256 of a token, hexadecimal. */
export const hash = (token: string): Effect.Effect<string, never, Digest> =>
  Effect.flatMap(Digest, (digest) => Effect.map(Effect.orDie(digest.digest(sha256, encoder.encode(token))), Hex.encode))

/** Creates a new random token. */
export const mint: Effect.Effect<string, never, SecureRandom> = Effect.flatMap(SecureRandom, (random) =>
  Effect.map(random.randomBytes(32), (bytes) => `hfs_${Base64Url.encode(bytes)}`)
)
