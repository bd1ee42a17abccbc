/**
 * One object on its way to a mirror's target.
 */
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import * as Assembly from "./Assembly.ts"
import type * as MirrorConnection from "./MirrorConnection.ts"
import * as MirrorErrors from "./MirrorErrors.ts"
import * as MirrorFields from "./MirrorFields.ts"
import * as MirrorObjects from "./MirrorObjects.ts"
import * as Multipart from "./Multipart.ts"
import type * as Upload from "./Upload.ts"

const mebibyte = 1024 * 1024

/** Parts of a size that suffices, and of the least that memory must hold. */
const fitted = ({ partBytes, partConcurrency }: Upload.Sizes, size: number): Upload.Sizes => {
  const least = Math.ceil(size / Multipart.maxParts / mebibyte) * mebibyte
  return least > partBytes ? { partBytes: least, partConcurrency: 1 } : { partBytes, partConcurrency }
}

/** What stands now must be what was written: the last chance to notice a service that lost some of its parts. */
const found = (connection: MirrorConnection.Connection, { name, size }: MirrorObject) =>
  MirrorObjects.head(connection, "write", name).pipe(
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.fail(MirrorErrors.damaged("The object was gone when it had been written.")),
        onSome: ({ object }) =>
          object.size === size
            ? Effect.succeed(MirrorObjects.receipt(object))
            : Effect.fail(MirrorErrors.damaged(`The service has ${object.size} bytes of ${size}.`))
      })
    )
  )

/** As the port's `write`. */
export const write = <E, R>(
  connection: MirrorConnection.Connection,
  sizes: Upload.Sizes,
  object: MirrorObject,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<WriteReceipt, MirrorTargetError | E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { partBytes, partConcurrency } = fitted(sizes, object.size)
      const target = yield* connection.target("write", object.name)
      const fields = yield* MirrorFields.of("write", object.description)
      const assembly = yield* restore(Assembly.make(content, partBytes, connection.isEncrypted, object.size))
      const memory = Assembly.memory()
      const part = yield* restore(assembly.next(memory))
      // The first part is never undefined.
      if (part === undefined) return yield* Effect.die(new Error("a content has no first part"))

      const verify = Effect.suspend(() => {
        const { sha256, size } = assembly.receipt()
        return size === object.size && sha256 === object.sha256
          ? Effect.void
          : Effect.fail(MirrorErrors.damaged("The bytes that were read are not those of the file."))
      })
      const find = restore(found(connection, object))

      const single = restore(
        connection.put("write", { ...target, ...fields, Body: part.bytes, ContentMD5: part.md5 }, object.sha256)
      ).pipe(
        Effect.flatMap((answer) => {
          const receipt = MirrorObjects.receiptOf(answer)
          return receipt === undefined ? find : Effect.succeed(receipt)
        })
      )

      const others = Array.from({ length: partConcurrency - 1 }, Assembly.memory)
      const inParts = Multipart.run(connection, "write", { ...target, ...fields }, (upload) =>
        Multipart.sendAll(connection, "write", upload, assembly, { part, memory }, others).pipe(
          Effect.tap(() => verify),
          restore
        )
      )

      return yield* part.bytes.byteLength < partBytes ? Effect.andThen(verify, single) : Effect.andThen(inParts, find)
    }).pipe(Effect.scoped)
  )
