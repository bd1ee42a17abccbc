/**
 * Makes the posters and storyboards of packaged presentations, which are READY before a transcoder has seen the content. A worker makes
 * those of one presentation at a time; the poster first, because players show it before they play. It also compares the content with
 * its record: segments of a content that is known to be damaged are refused.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { repeatStep } from "../../../BackgroundWork.ts"
import { onBehalfOf } from "../../../CurrentTenant.ts"
import * as Ids from "../../../Ids.ts"
import { Settings } from "../../../Settings.ts"
import { type PictureTask, PosterRepository } from "../../../posters/PosterRepository.ts"
import { maxBytes as maxPictureBytes } from "../../../posters/VideoPoster.ts"
import * as BlobKey from "../../../storage/BlobKey.ts"
import { BlobRepository } from "../../../storage/BlobRepository.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { Transcoder } from "../../../transcoding/Transcoder.ts"
import { LimitsOf, within } from "../../../usage/UsageLimits.ts"
import { ConversionNotifier } from "../../ConversionNotifier.ts"
import { ConversionRepository, type PosterTask } from "../../ConversionRepository.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import { ConversionWorkspace, type Workspace } from "../ConversionWorkspace.ts"
import * as AddStoryboard from "./AddStoryboard.ts"
import * as Poster from "./Poster.ts"
import { addContent, areIntact, blobsOf } from "./RunConversion.ts"

/** A poster takes a second, a storyboard of a long video some minutes. After a failure, another worker tries again at the end of the lease. */
const lease = Duration.minutes(10)

/** How often a worker looks for posters of contents that other processes have packaged, in polls for conversions. */
const pollsBetween = 5

const upload = Effect.fnUntraced(function* ({ bucketId, tenantId }: PosterTask, workspace: Workspace) {
  const blobs = yield* BlobRepository
  const store = yield* BlobStore
  const { uploadLease } = yield* Settings
  const blobId = yield* Ids.make("blb")
  const at = yield* DateTime.now
  const leaseUntil = DateTime.addDuration(at, uploadLease)
  yield* blobs.stage({ bucket: { tenantId, bucketId }, blobId, at, leaseUntil })
  const key = BlobKey.make({ tenantId, bucketId, blobId })
  const { sha256, size } = yield* store.put(key, workspace.read(StreamFiles.poster))
  return { name: StreamFiles.poster, blobId, size, sha256 }
})

const makePictures = Effect.fnUntraced(function* (task: PosterTask, options: ConversionWorkerOptions) {
  const { limits } = options
  const conversions = yield* ConversionRepository
  const transcoder = yield* Transcoder
  const limitsOf = yield* LimitsOf
  const workspace = yield* (yield* ConversionWorkspace).make
  yield* addContent(task, workspace)
  const media = yield* Effect.option(transcoder.probe({ input: workspace.input, limits }))
  const isMade = Option.isSome(media) && (yield* Poster.make(workspace, media.value, limits))
  const poster = isMade ? yield* upload(task, workspace) : null
  yield* within(yield* limitsOf(task))(conversions.publishPoster(task, poster)).pipe(
    // A stream plays without a poster.
    Effect.catchTag("QuotaExceeded", () => conversions.publishPoster(task, null))
  )
  yield* (yield* ConversionNotifier).notifyProgress
  // What is converted was compared with its record before; a packaged presentation is READY before its content was read.
  if (!(yield* areIntact(yield* blobsOf(task.blobId))) || Option.isNone(media)) return
  const files = AddStoryboard.make(workspace, media.value, task.presentation, { limits })
  yield* AddStoryboard.add(task, workspace, files, options)
})

/** Reads the picture that the transcoder has written; none if there is none, or if it is too large. */
const readPicture = (workspace: Workspace) =>
  Effect.map(
    Stream.runFold(
      workspace.read(StreamFiles.poster),
      () => ({ chunks: new Array<Uint8Array>(), bytes: 0 }),
      ({ bytes, chunks }, chunk) => ({ chunks: [...chunks, chunk.slice()], bytes: bytes + chunk.length })
    ),
    ({ bytes, chunks }) => {
      if (bytes > maxPictureBytes) return null
      const picture = new Uint8Array(bytes)
      let at = 0
      for (const chunk of chunks) {
        picture.set(chunk, at)
        at += chunk.length
      }
      return picture
    }
  )

/** Makes the picture of a poster that was set for a time. None can be made if the time is after the last frame. */
const makePicture = Effect.fnUntraced(function* (task: PictureTask, { limits }: ConversionWorkerOptions) {
  const posters = yield* PosterRepository
  const transcoder = yield* Transcoder
  const workspace = yield* (yield* ConversionWorkspace).make
  yield* addContent(task, workspace)
  const isMade = yield* Effect.gen(function* () {
    const { input, output } = workspace
    const media = yield* transcoder.probe({ input, limits })
    if (media.video === null) return false
    const at = Math.min(task.time, media.duration ?? task.time)
    yield* transcoder.poster({ input, media, output: `${output}/${StreamFiles.poster}`, at, limits })
    return true
  }).pipe(
    Effect.catchIf(
      ({ reason }) => reason !== "Unavailable" && reason !== "Internal",
      ({ message, reason }) =>
        Effect.as(
          Effect.annotateLogs(Effect.logWarning("picture of a poster not created"), { reason, detail: message }),
          false
        )
    )
  )
  const picture = isMade ? yield* readPicture(workspace) : null
  const limitsOf = yield* LimitsOf
  const now = yield* DateTime.now
  yield* within(yield* limitsOf(task))(posters.complete(task, picture, now)).pipe(
    Effect.catchTag("QuotaExceeded", () => posters.complete(task, null, now))
  )
  yield* (yield* ConversionNotifier).notifyProgress
})

/** Runs until interrupted. */
export const work = Effect.fnUntraced(function* (options: ConversionWorkerOptions) {
  const conversions = yield* ConversionRepository
  const posters = yield* PosterRepository
  const notifier = yield* ConversionNotifier

  const step = Effect.gen(function* () {
    const now = yield* DateTime.now
    const terms = { now, leaseUntil: DateTime.addDuration(now, lease) }
    // A caller waits for a picture, while a stream plays without a poster.
    const picture = yield* posters.claim(terms)
    if (Option.isSome(picture)) {
      yield* makePicture(picture.value, options).pipe(
        Effect.scoped,
        Effect.catchTag("LeaseLost", () => Effect.void),
        Effect.catchCause((cause) => Effect.logWarning("picture of a poster not created; will retry", cause)),
        onBehalfOf(picture.value.tenantId),
        Effect.annotateLogs({ fileId: picture.value.fileId })
      )
      return true
    }
    const task = yield* conversions.claimPoster(terms)
    if (Option.isNone(task)) return false
    yield* makePictures(task.value, options).pipe(
      Effect.scoped,
      Effect.catchTag("LeaseLost", () => Effect.void),
      Effect.catchCause((cause) => Effect.logWarning("video poster not created; will retry", cause)),
      onBehalfOf(task.value.tenantId),
      Effect.annotateLogs({ conversionId: task.value.conversionId })
    )
    return true
  })

  const idle = Effect.timeoutOrElse(notifier.awaitProgress, {
    duration: Duration.times(options.pollInterval, pollsBetween),
    orElse: () => Effect.void
  })
  return yield* repeatStep(step, idle, {
    worker: "poster worker",
    failure: "video poster not claimed: metadata store failed; will retry"
  })
})
