/**
 * Identifiers: a prefix of three letters for the kind, then a UUIDv7 (RFC 9562), so that ids sort by creation time.
 */
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"

/** The prefixes: tenant, account, member, token, account key, bucket, file, blob, mirror, conversion, event, webhook, upload, share, folder job, captions. */
export type Kind =
  | "ten"
  | "acc"
  | "mem"
  | "tok"
  | "key"
  | "bkt"
  | "fil"
  | "blb"
  | "mir"
  | "cnv"
  | "evt"
  | "whk"
  | "upl"
  | "shr"
  | "job"
  | "cap"

/** Characters of an identifier. */
export const length = 40

const shape = /^[a-z]{3}_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Creates a new identifier of a kind. */
export const make = (kind: Kind): Effect.Effect<string, never, SecureRandom> =>
  Effect.flatMap(SecureRandom, (random) => Effect.map(random.uuidV7(), (uuid) => `${kind}_${uuid}`))

/**
 * Whether a text has the form of an identifier of this kind. Services check every id from a caller with it before they bind
 * the id to a statement or make a blob key of it.
 */
export const is = (kind: Kind, id: string): boolean => id.length === length && id.startsWith(kind) && shape.test(id)

/** Returns when an identifier was created, in epoch milliseconds: the first 48 bits of a UUIDv7 (RFC 9562, section 5.7). */
export const createdAt = (id: string): number => Number.parseInt(id.slice(4, 12) + id.slice(13, 17), 16)

/** Returns the least identifier of a kind that can be created at a time, in epoch milliseconds. */
export const firstAt = (kind: Kind, millis: number): string => {
  const time = Math.min(Math.max(Math.trunc(millis), 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0")
  return `${kind}_${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}
