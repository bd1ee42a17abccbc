/**
 * The scrub: reads all contents and compares them with their records, because a disk may change bytes that no client reads for years.
 *
 * One process scrubs at a time. It works for a bounded share of the time, so that it takes that share of a processor and of a disk at
 * most, and its position is stored: a process that stops continues later, or another one does.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { asBackgroundWork } from "../BackgroundWork.ts"
import { onBehalfOf } from "../CurrentTenant.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { BlobError } from "../storage/BlobError.ts"
import { BlobRepository, type BlobRow } from "../storage/BlobRepository.ts"
import type { DamageKind } from "../storage/DamageKind.ts"
import type { CheckedBlob } from "./Damage.ts"
import { Integrity } from "./Integrity.ts"
import * as ReadPace from "./ReadPace.ts"
import { type ScrubClaim, ScrubRepository, type ScrubTotals } from "./ScrubRepository.ts"

export interface ScrubOptions extends ReadPace.Speed {
  /** Scrubs of different names have positions of their own. */
  readonly name: string
  /** A finished scrub that began less than this ago is not followed by a new one. */
  readonly period: Duration.Input
  /** Whether to begin anew when the last scrub is incomplete; false when absent. */
  readonly restart?: boolean | undefined
  /** Receives each damaged content. */
  readonly onDamage?: ((blob: CheckedBlob, kind: DamageKind) => Effect.Effect<void>) | undefined
}

export interface ScrubReport extends ScrubTotals {
  /** Contents that this process could not read, because the store failed. */
  readonly unreadable: number
}

export class Scrubber extends Context.Service<
  Scrubber,
  {
    /**
     * Runs a scrub to its end, and returns what it found since it began. None when another process runs it, or when it is not time
     * for one. Fails when the store fails for several contents in a row; the next run continues there.
     */
    readonly scrub: (options: ScrubOptions) => Effect.Effect<Option.Option<ScrubReport>, MetadataError | BlobError>
  }
>()("@holdfast/core/integrity/Scrubber") {}

/** Rows per statement. */
const batchSize = 100

/** How long a claim lasts after the last renewal. */
const lease = Duration.seconds(90)

/** How often the position is stored, and the claim renewed. */
const saveInterval = 20_000

/** Contents in a row that cannot be read until the scrub stops: the store as a whole has failed. */
const maxFailures = 10

const isChecked = (row: BlobRow): row is BlobRow & CheckedBlob =>
  row.state === "READY" && row.size !== null && row.sha256 !== null

const addBlob = ({ blobs, bytes, damaged }: ScrubTotals, size: number, isDamaged: boolean): ScrubTotals => ({
  blobs: blobs + 1,
  bytes: bytes + size,
  damaged: damaged + (isDamaged ? 1 : 0)
})

const make = Effect.gen(function* () {
  const integrity = yield* Integrity
  const blobs = yield* BlobRepository
  const repository = yield* ScrubRepository
  const random = yield* SecureRandom
  const leaseUntil = Effect.map(DateTime.now, (now) => DateTime.addDuration(now, lease))

  /** Checks one blob. Most are intact, which costs no statement. */
  const check = Effect.fnUntraced(function* (row: BlobRow & CheckedBlob, pace: ReadPace.ReadPace) {
    if (row.damage === null && (yield* integrity.compare(row, pace)) === undefined) return undefined
    return yield* integrity.verify(row, pace)
  })

  const run = Effect.fnUntraced(function* (claim: ScrubClaim, options: ScrubOptions) {
    const pace = yield* ReadPace.make(options)
    let { position } = claim
    let added: ScrubTotals = { blobs: 0, bytes: 0, damaged: 0 }
    let totals = claim.totals
    let unreadable = 0
    let failures = 0
    let savedAt = yield* Clock.currentTimeMillis

    const save = Effect.gen(function* () {
      savedAt = yield* Clock.currentTimeMillis
      const saved = added
      added = { blobs: 0, bytes: 0, damaged: 0 }
      return yield* repository.save({ claim, position, added: saved, leaseUntil: yield* leaseUntil })
    })
    /** Stores the position at intervals, also while a large content is read. Another process that took over does the rest. */
    const saveSometimes: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now - savedAt < saveInterval ? Effect.void : Effect.ignore(save)
    )
    const paceAndSave: ReadPace.ReadPace = (bytes) => Effect.andThen(pace(bytes), saveSometimes)

    const checkOne = Effect.fnUntraced(function* (row: BlobRow & CheckedBlob) {
      const kind = yield* check(row, paceAndSave)
      failures = 0
      added = addBlob(added, row.size, kind !== undefined)
      totals = addBlob(totals, row.size, kind !== undefined)
      if (kind !== undefined && options.onDamage !== undefined) yield* options.onDamage(row, kind)
    })

    const onFailure = (row: BlobRow) => (error: BlobError) =>
      Effect.gen(function* () {
        unreadable++
        failures++
        const { blobId, bucketId, fileId, tenantId } = row
        yield* Effect.logWarning("content not readable").pipe(
          Effect.annotateLogs({ tenantId, bucketId, fileId, blobId, reason: error.reason })
        )
        if (failures >= maxFailures) return yield* error
      })

    while (true) {
      const rows = yield* blobs.list({ after: position, limit: batchSize })
      for (const row of rows) {
        if (isChecked(row)) {
          yield* checkOne(row).pipe(onBehalfOf(row.tenantId), Effect.catchTag("BlobError", onFailure(row)))
          yield* paceAndSave(0)
        }
        position = row.blobId
      }
      if (rows.length < batchSize) break
    }
    return (yield* save) ? Option.some({ ...totals, unreadable } satisfies ScrubReport) : Option.none()
  })

  return Scrubber.of({
    scrub: Effect.fn("Scrubber.scrub")(function* (options) {
      const now = yield* DateTime.now
      const claimed = yield* repository.claim({
        name: options.name,
        lease: yield* random.uuidV7(),
        leaseUntil: yield* leaseUntil,
        now,
        restartBefore: DateTime.subtractDuration(now, options.period),
        restart: options.restart === true
      })
      if (Option.isNone(claimed)) return Option.none()
      const claim = claimed.value
      return yield* run(claim, options).pipe(
        Effect.tap((report) =>
          Option.isNone(report)
            ? Effect.void
            : Effect.flatMap(DateTime.now, (finishedAt) => repository.release(claim, finishedAt))
        ),
        Effect.onError(() => Effect.ignore(repository.release(claim, null)))
      )
    })
  })
})

export const layer: Layer.Layer<Scrubber, never, Integrity | BlobRepository | ScrubRepository | SecureRandom> =
  Layer.effect(Scrubber, make)

/** The name of the scrub that the service runs in the background. */
export const backgroundName = "background"

/** How often an idle process looks whether a scrub is due, at most. With a shorter period it looks once in the period. */
const pollInterval = Duration.minutes(1)

/** Scrubs once in each period, until the layer's scope closes. */
export const layerPeriodic = (
  options: Pick<ScrubOptions, "period" | "share" | "bytesPerSecond">
): Layer.Layer<never, never, Scrubber> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { scrub } = yield* Scrubber
      yield* scrub({ ...options, name: backgroundName }).pipe(
        Effect.tap(
          Option.match({
            onNone: () => Effect.void,
            onSome: (report) =>
              report.blobs === 0 ? Effect.void : Effect.annotateLogs(Effect.logInfo("scrub finished"), { ...report })
          })
        ),
        Effect.catch(({ reason }) =>
          Effect.annotateLogs(Effect.logWarning("scrub interrupted; it continues later"), { reason })
        ),
        Effect.catchDefect((defect) => Effect.logError("defect in the scrub; it continues later", defect)),
        Effect.andThen(Effect.sleep(Duration.min(pollInterval, Duration.fromInputUnsafe(options.period)))),
        Effect.forever,
        asBackgroundWork,
        Effect.forkScoped
      )
    })
  )
