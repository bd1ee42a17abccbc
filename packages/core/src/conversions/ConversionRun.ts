/**
 * One run of a conversion, from its claim to the last segment.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { MetadataError } from "../MetadataError.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import type { ConversionEvent } from "../transcoding/ConversionEvent.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import type { TranscodeError } from "../transcoding/TranscodeError.ts"
import { Transcoder } from "../transcoding/Transcoder.ts"
import type { ConversionClaim, ReadyConversion } from "./ConversionClaim.ts"
import { ConversionRepository } from "./ConversionRepository.ts"
import { ConversionWorkspace, type Workspace, type WorkspaceError } from "./ConversionWorkspace.ts"
import * as Poster from "./Poster.ts"
import * as Publisher from "./Publisher.ts"
import type { ConversionWorkerOptions } from "./ConversionWorkerOptions.ts"

/** Seconds of a copy from which on it costs more to read its many segments than the content itself once more. */
const longCopy = 900

/**
 * Whether a conversion is to be made from another one: not where everything was to be encoded anew, and was not; nor
 * where the content is the better source.
 */
const serves = ({ mode, presentation }: ReadyConversion, claim: ConversionClaim): boolean => {
  if (claim.mode === "transcode") return mode === "transcode"
  return presentation.isCopy !== true || (presentation.duration ?? 0) < longCopy
}

/** Puts a blob into the workspace. */
const place = Effect.fnUntraced(function* (claim: ConversionClaim, workspace: Workspace, path: string, blobId: string) {
  const store = yield* BlobStore
  const key = BlobKey.make({ tenantId: claim.tenantId, bucketId: claim.bucketId, blobId })
  yield* workspace.place(path, store.localFile(key), store.read(key))
})

type ConvertError = BlobError | MetadataError | TranscodeError | WorkspaceError
type Events = Stream.Stream<ConversionEvent, ConvertError, BlobStore | Transcoder>

/** What the transcoder tells: of the content, or of another conversion of it that stands. */
const convert = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  workspace: Workspace,
  options: ConversionWorkerOptions
): Effect.fn.Return<Events, ConvertError, BlobStore | ConversionRepository | Transcoder> {
  const transcoder = yield* Transcoder
  const { limits } = options
  const { format, mode } = claim
  const { input, output, source } = workspace
  const other = Option.filter(yield* (yield* ConversionRepository).findReady(claim), (one) => serves(one, claim))
  if (Option.isSome(other)) {
    const { presentation, segments } = other.value
    const posters = segments.filter(({ name }) => name === StreamFiles.poster)
    const rest = segments.filter(({ name }) => name !== StreamFiles.poster)
    yield* Effect.forEach(rest, ({ blobId, name }) => place(claim, workspace, `${source}/${name}`, blobId), {
      concurrency: options.uploads,
      discard: true
    })
    const copy = Effect.forEach(posters, ({ blobId, name }) => place(claim, workspace, `${output}/${name}`, blobId))
    const events = transcoder.repackage({ source, presentation, output, format, limits })
    return Poster.withPoster(events, Effect.as(copy, posters.length > 0))
  }
  yield* place(claim, workspace, input, claim.blobId)
  const media = yield* transcoder.probe({ input, limits })
  const events = transcoder.convert({ input, media, output, format, mode, limits })
  return Poster.withPoster(events, Poster.take(workspace, media, limits))
})

/** Prolongs the claim for as long as it runs; fails when the claim is lost. */
const hold = Effect.fnUntraced(function* (claim: ConversionClaim, lease: Duration.Duration) {
  const repository = yield* ConversionRepository
  const renew = Effect.flatMap(DateTime.now, (now) => repository.renew(claim, DateTime.addDuration(now, lease)))
  return yield* renew.pipe(
    // Two more tries fit into the lease; after it another worker may have the conversion, which the next try tells.
    Effect.catchTag("MetadataError", (error) =>
      Effect.logWarning("Could not renew a conversion's claim", error.reason)
    ),
    Effect.delay(Duration.millis(Duration.toMillis(lease) / 3)),
    Effect.forever
  )
})

/** Converts and publishes. Success is a conversion that is READY. */
export const run = (claim: ConversionClaim, options: ConversionWorkerOptions) =>
  Effect.gen(function* () {
    const work = Effect.gen(function* () {
      const workspace = yield* (yield* ConversionWorkspace).make
      const events = yield* convert(claim, workspace, options)
      yield* Publisher.run(claim, workspace, events, options)
    })
    yield* Effect.raceFirst(Effect.scoped(work), hold(claim, options.lease))
  })
