/**
 * Computes the digest of a body while it is read, to compare it with the declared one.
 */
import { ChecksumMismatch } from "@holdfast/core/files/FileErrors"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"

export const algorithms = ["sha1", "sha256", "md5", "crc32"] as const
export type Algorithm = (typeof algorithms)[number]

/** A digest that a client declares for the body of a request. */
export interface Declared {
  readonly algorithm: Algorithm
  readonly digest: Uint8Array
}

export interface BodyDigest {
  /** Returns a body that is hashed while it is read. */
  readonly reading: <E, R>(body: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<Uint8Array, E, R>
  /** Fails unless the bytes that were read have the declared digest. */
  readonly verify: Effect.Effect<void, ChecksumMismatch>
}

interface Hasher {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Buffer
}

/** The CRC-32 as four bytes in network order. */
const makeCrc32 = (): Hasher => {
  let value = 0
  return {
    update: (bytes) => (value = crc32(bytes, value)),
    digest: () => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(value)
      return bytes
    }
  }
}

/** Bytes that are hashed before other requests get their turn: some 0.2 ms. */
const sliceBytes = 256 * 1024

/** Makes the digest of one body. */
export const make = ({ algorithm, digest }: Declared): BodyDigest => {
  const hasher: Hasher = algorithm === "crc32" ? makeCrc32() : createHash(algorithm)
  let unyielded = 0
  const hash = (chunk: Uint8Array) => {
    hasher.update(chunk)
    unyielded += chunk.length
    if (unyielded < sliceBytes) return Effect.succeed(chunk)
    unyielded = 0
    return Effect.as(Effect.yieldNow, chunk)
  }
  return {
    reading: (body) => Stream.mapEffect(body, hash),
    verify: Effect.suspend(() => (hasher.digest().equals(digest) ? Effect.void : Effect.fail(new ChecksumMismatch())))
  }
}
