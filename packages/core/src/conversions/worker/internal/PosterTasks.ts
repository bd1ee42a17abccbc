/**
 * Makes the posters and storyboards of packaged presentations, which are READY before a transcoder has seen the content, and those that a
 * worker has left unfinished. A worker makes those of one presentation at a time; the poster first, because players show it before they
 * play. It also compares the content with its record: segments of a content that is known to be damaged are refused.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { repeatStep } from "../../../BackgroundWork.ts"
import { onBehalfOf } from "../../../CurrentTenant.ts"
import { type PictureTask, PosterRepository } from "../../../posters/PosterRepository.ts"
import { maxBytes as maxPictureBytes } from "../../../posters/VideoPoster.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { Transcoder } from "../../../transcoding/Transcoder.ts"
import * as ByteChunks from "../../../storage/ByteChunks.ts"
import { LimitsOf, within } from "../../../usage/UsageLimits.ts"
import { LeaseLost } from "../../ConversionClaim.ts"
import { ConversionNotifier } from "../../ConversionNotifier.ts"
import { ConversionRepository, type PosterTask } from "../../ConversionRepository.ts"
import type { Segment } from "../../Publication.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import { ConversionWorkspace, type Workspace } from "../ConversionWorkspace.ts"
import * as AddStoryboard from "./AddStoryboard.ts"
import * as Poster from "./Poster.ts"
import { addContent, areIntact, blobsOf } from "./RunConversion.ts"
import { uploadSegments } from "./UploadSegments.ts"

/** A picture of a poster takes a second. After a failure, another worker tries again at the end of the lease. */
const pictureLease = Duration.minutes(10)

/** How often a worker looks for posters of contents that other processes have packaged, in polls for conversions. */
const pollsBetween = 5

const publishPoster = Effect.fnUntraced(function* (task: PosterTask, poster: Segment) {
  const conversions = yield* ConversionRepository
  const limitsOf = yield* LimitsOf
  yield* within(yield* limitsOf(task))(conversions.publishPoster(task, poster)).pipe(
    // A stream plays without a poster.
    Effect.catchTag("QuotaExceeded", () => Effect.logDebug("video poster not stored: the quota is reached"))
  )
  yield* (yield* ConversionNotifier).notifyProgress
})

const makePictures = Effect.fnUntraced(function* (task: PosterTask, options: ConversionWorkerOptions) {
  const { limits } = options
  const conversions = yield* ConversionRepository
  const transcoder = yield* Transcoder
  const workspace = yield* (yield* ConversionWorkspace).make
  yield* addContent(task, workspace)
  const media = yield* Effect.option(transcoder.probe({ input: workspace.input, limits }))
  if (Option.isSome(media) && !task.hasPoster && (yield* Poster.make(workspace, media.value, limits))) {
    const [poster] = yield* uploadSegments(task, workspace, [StreamFiles.poster], options)
    if (poster !== undefined) yield* publishPoster(task, poster)
  }
  // What is converted was compared with its record before; a packaged presentation is READY before its content was read.
  const isIntact = yield* areIntact(yield* blobsOf(task.blobId))
  if (!isIntact || Option.isNone(media) || task.hasStoryboard) return yield* conversions.completePictures(task)
  const files = AddStoryboard.make(workspace, media.value, task.presentation, { limits })
  yield* AddStoryboard.add(task, workspace, files, options)
})

/** Reads the picture that the transcoder has written; none if it is too large. */
const readPicture = (workspace: Workspace) =>
  // The memory of a chunk is used again for the next one.
  Stream.map(workspace.read(StreamFiles.poster), (chunk) => chunk.slice()).pipe(
    Stream.runCollect,
    Effect.map(ByteChunks.concat),
    Effect.map((picture) => (picture.length > maxPictureBytes ? null : picture))
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

  /** Runs a claimed task. After a failure, another worker tries again. */
  const run = <E, R>(
    task: Effect.Effect<void, E, R>,
    name: string,
    { tenantId, ...annotations }: { readonly tenantId: string; readonly [annotation: string]: string }
  ) =>
    task.pipe(
      Effect.scoped,
      Effect.catchIf(
        (error) => error instanceof LeaseLost,
        () => Effect.void
      ),
      Effect.catchCause((cause) => Effect.logWarning(`${name} not created; will retry`, cause)),
      onBehalfOf(tenantId),
      Effect.annotateLogs(annotations)
    )

  /** Ends with the first progress since the last step has begun. */
  let progress: Effect.Effect<void> = Effect.void
  const step = Effect.gen(function* () {
    progress = yield* notifier.nextProgress
    const now = yield* DateTime.now
    const terms = (lease: Duration.Duration) => ({ now, leaseUntil: DateTime.addDuration(now, lease) })
    // A caller waits for a picture, while a stream plays without a poster.
    const picture = yield* posters.claim(terms(pictureLease))
    if (Option.isSome(picture)) {
      const { fileId, tenantId } = picture.value
      yield* run(makePicture(picture.value, options), "picture of a poster", { tenantId, fileId })
      return true
    }
    const task = yield* conversions.claimPoster(terms(AddStoryboard.lease))
    if (Option.isNone(task)) return false
    const { conversionId, tenantId } = task.value
    yield* run(makePictures(task.value, options), "video poster", { tenantId, conversionId })
    return true
  })

  const idle = Effect.suspend(() =>
    Effect.timeoutOrElse(progress, {
      duration: Duration.times(options.pollInterval, pollsBetween),
      orElse: () => Effect.void
    })
  )
  return yield* repeatStep(step, idle, {
    worker: "poster worker",
    failure: "video poster not claimed: metadata store failed; will retry"
  })
})
