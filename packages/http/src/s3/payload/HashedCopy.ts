/**
 * Hashes a content while a copy of it is stored.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as BodyTurns from "../../incoming/BodyTurns.ts"
import type { Crc } from "./Crc.ts"

/** The most bytes that are hashed before other requests have their turn: MD5 and a CRC of them take less than a millisecond. */
const hashedBytes = 256 * 1024

/**
 * Returns a content whose bytes the hashes get as it is read.
 *
 * @param tenantId Tenants take turns when many contents are hashed.
 */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  hashes: ReadonlyArray<Pick<Crc, "update">>,
  tenantId: string
): Stream.Stream<Uint8Array, E, R> =>
  Stream.tap(
    content,
    Effect.fnUntraced(function* (chunk: Uint8Array) {
      for (let at = 0; at < chunk.length; at += hashedBytes) {
        yield* BodyTurns.wait(tenantId)
        const slice = chunk.length <= hashedBytes ? chunk : chunk.subarray(at, at + hashedBytes)
        for (const hash of hashes) hash.update(slice)
      }
    })
  )
