/**
 * One content on its way to the service.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as Assembly from "./Assembly.ts"
import * as BlobObjects from "./BlobObjects.ts"
import type * as Connection from "./Connection.ts"
import * as Multipart from "./Multipart.ts"
import * as S3Errors from "./S3Errors.ts"

export interface Sizes {
  /** Bytes of a part. */
  readonly partBytes: number
  /** Parts that are filled or sent at once. */
  readonly partConcurrency: number
}

/**
 * As the port's `put`. A content that is interrupted when the service has just made it visible is removed again, and so
 * is then what it replaced.
 */
export const put = <E, R>(
  connection: Connection.Connection,
  { partBytes, partConcurrency }: Sizes,
  key: string,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<BlobReceipt, BlobError.BlobError | E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const target = yield* connection.target("put", key)
      const assembly = yield* restore(Assembly.make(content, partBytes, connection.isEncrypted))
      const memory = Assembly.memory()
      const part = yield* restore(assembly.next(memory))
      // The first part is never undefined.
      if (part === undefined) return yield* Effect.die(new Error("a content has no first part"))
      /** Ends here where the put was interrupted meanwhile. */
      const proceed = restore(Effect.void)

      const single = Effect.suspend(() => {
        const receipt = assembly.receipt()
        const input = { ...target, Body: part.bytes, ContentMD5: part.md5 }
        return Effect.as(connection.put("put", input, receipt.sha256), receipt)
      })

      const others = Array.from({ length: partConcurrency - 1 }, Assembly.memory)
      const inParts = Multipart.run(connection, "put", target, (upload) =>
        Effect.tap(
          restore(Multipart.sendAll(connection, "put", upload, assembly, { part, memory }, others)),
          () => proceed
        )
      )

      const verify = (size: number) =>
        Effect.filterOrFail(
          BlobObjects.statFor(connection, "put", key),
          (info) => info.size === size,
          () => S3Errors.unexpected("put", "the service put parts together to another size")
        )
      const isSingle = part.bytes.byteLength < partBytes

      // Whether the service has taken the last request in cannot be known before it answers, so the answer is
      // waited for, and what stands then is removed if it is not wanted any more.
      yield* proceed
      const receipt = yield* isSingle ? single : Effect.map(inParts, assembly.receipt)
      yield* Effect.andThen(isSingle ? Effect.void : verify(receipt.size), proceed).pipe(
        Effect.onError(() => Effect.catch(BlobObjects.remove(connection, key), S3Errors.untidy))
      )
      return receipt
    }).pipe(Effect.scoped)
  )
