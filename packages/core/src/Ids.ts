/**
 * Identifiers: a short prefix that names the kind, then a UUIDv7 (RFC 9562), so that ids sort by creation time.
 */
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"

/** The kinds of identifier, by prefix. */
export type Kind = "ten" | "acc" | "mem" | "tok" | "key" | "bkt" | "fil" | "blb" | "mir" | "cnv"

const shape = /^[a-z]{3}_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A fresh identifier of a kind. */
export const make = (kind: Kind): Effect.Effect<string, never, SecureRandom> =>
  Effect.flatMap(SecureRandom, (random) => Effect.map(random.uuidV7(), (uuid) => `${kind}_${uuid}`))

/**
 * Whether a text is spelt like an identifier of this kind. Whatever a caller sends is checked by this before it is
 * bound to a statement or becomes part of a blob key.
 */
export const is = (kind: Kind, id: string): boolean => id.length === 40 && id.startsWith(kind) && shape.test(id)

/** When an identifier was made, in epoch milliseconds: a UUIDv7 begins with it (RFC 9562, section 5.7). */
export const createdAt = (id: string): number => Number.parseInt(id.slice(4, 12) + id.slice(13, 17), 16)
