/**
 * Sends a composite content whose parts are local files: one file after the other, each as `LargeFile` sends one.
 */
import { ContentDamaged } from "@holdfast/core/files/FileErrors"
import type { LocalPart, StoredContent } from "@holdfast/core/files/StoredContent"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import { type BodySlice, isLiteral } from "../BodySlice.ts"
import * as LargeFile from "./LargeFile.ts"
import * as LocalFile from "./LocalFile.ts"
import * as SmallFile from "./SmallFile.ts"
import * as TransientBody from "./TransientBody.ts"

interface Plan {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly slices: ReadonlyArray<BodySlice>
}

/** Reports a part that cannot be sent because its bytes are lost. */
const reporting = <A>(part: LocalPart, sending: Effect.Effect<A, LocalFile.LocalFileError>) =>
  Effect.tapError(sending, (error) =>
    error._tag !== "BlobError" || error.reason === "Unreadable" ? part.reportDamage : Effect.void
  )

const sendAll = (
  response: ServerResponse,
  localParts: NonNullable<StoredContent["localParts"]>,
  { headers, slices, status }: Plan
): Effect.Effect<void, LocalFile.LocalFileError> => {
  let isHeadSent = false
  /** Literal slices that precede the next part. */
  let literals: Array<BodySlice> = []
  const sendPart = (part: LocalPart) =>
    LocalFile.withFile(part.path, (fd) =>
      Effect.suspend(() => {
        if (Fs.fstatSync(fd).size !== part.size) return Effect.fail(new ContentDamaged())
        if (!isHeadSent) response.writeHead(status, headers)
        isHeadSent = true
        const own = [...literals, part.range]
        literals = []
        return LargeFile.send(response, fd, own, { isLast: false })
      })
    )
  const sendSlice = (slice: BodySlice) => {
    if (!isLiteral(slice)) return Stream.runForEach(localParts(slice), (part) => reporting(part, sendPart(part)))
    literals.push(slice)
    return Effect.void
  }
  const finish = Effect.suspend(() => {
    for (const literal of literals) if (isLiteral(literal)) response.write(literal)
    return TransientBody.end(response)
  })
  return Effect.forEach(slices, sendSlice, { discard: true }).pipe(
    Effect.andThen(finish),
    // An incomplete response must not look complete.
    Effect.onError(() => Effect.sync(() => (isHeadSent ? response.destroy() : undefined)))
  )
}

/**
 * Sends the slices of a plan, and ends the response. Until the first part is found and has the right size, nothing is sent. As
 * `LargeFile.send`, it destroys a response that it cannot complete.
 */
export const send = (
  response: ServerResponse,
  localParts: NonNullable<StoredContent["localParts"]>,
  plan: Plan
): Effect.Effect<void, LocalFile.LocalFileError> => {
  const [slice, ...more] = plan.slices
  if (slice === undefined || isLiteral(slice) || more.length > 0 || slice.length > SmallFile.maxLength) {
    return sendAll(response, localParts, plan)
  }
  return Effect.flatMap(Stream.runCollect(localParts(slice)), ([part, ...others]) => {
    if (part === undefined || others.length > 0) return sendAll(response, localParts, plan)
    const { path, range, size } = part
    // Without a digest of its own in the response, the part is not kept in memory.
    const file = { path, size, etag: "" }
    return reporting(
      part,
      SmallFile.send(response, file, range, () => response.writeHead(plan.status, plan.headers))
    )
  })
}
