/**
 * The integrity worker: checks the contents that readers reported, and repairs damaged ones from their copies. Each damaged content is
 * checked again at intervals, so that one that an operator replaced is served again.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { asBackgroundWork } from "../BackgroundWork.ts"
import { onBehalfOf } from "../CurrentTenant.ts"
import type { DamagedBlob } from "./Damage.ts"
import { DamageReports } from "./DamageReports.ts"
import { DamageRepository } from "./DamageRepository.ts"
import { Integrity } from "./Integrity.ts"
import * as ReadPace from "./ReadPace.ts"
import { Repairs } from "./Repairs.ts"

export interface IntegrityWorkerOptions {
  /** How often an idle worker looks for damaged contents. */
  readonly pollInterval: Duration.Input
  /** How long a damaged content stays claimed. A repair that takes longer may run twice, which does no harm. */
  readonly lease: Duration.Input
  /** The time until the second attempt of a repair. It doubles with each further attempt. */
  readonly backoff: Duration.Input
  /** The longest time between two attempts. */
  readonly maxBackoff: Duration.Input
}

export const defaults: IntegrityWorkerOptions = {
  pollInterval: "10 seconds",
  lease: "10 minutes",
  backoff: "1 minute",
  maxBackoff: "1 hour"
}

/** Damaged contents per claim. */
const batchSize = 10

/** Repairs at once, at most one of each tenant: its mirrors may be slow. */
const concurrency = 4

const make = Effect.fnUntraced(function* (options: IntegrityWorkerOptions) {
  const integrity = yield* Integrity
  const repairs = yield* Repairs
  const repository = yield* DamageRepository
  const reports = yield* DamageReports
  /** The tenants whose repairs run or wait for a slot. */
  const repaired = new Set<string>()
  const slots = Semaphore.makeUnsafe(concurrency)
  /** Open when a damaged content may be due that the last search did not see, or when a slot is free. */
  const wake = Latch.makeUnsafe(false)

  const after = (attempts: number): Duration.Duration =>
    Duration.min(
      Duration.times(Duration.fromInputUnsafe(options.backoff), 2 ** Math.min(attempts - 1, 20)),
      Duration.fromInputUnsafe(options.maxBackoff)
    )

  const attempt = (blob: DamagedBlob) =>
    Effect.gen(function* () {
      // A failure must not keep the blob claimed for the whole lease.
      if ((yield* failureLogged(repairs.repair(blob))) === true) return
      yield* repository.postpone(blob.blobId, DateTime.addDuration(yield* DateTime.now, after(blob.attempts)))
    }).pipe(onBehalfOf(blob.tenantId), failureLogged)

  /** Repairs contents of one tenant one after the other. */
  const repairAll = (tenantId: string, blobs: ReadonlyArray<DamagedBlob>) =>
    Effect.forEach(blobs, attempt, { discard: true }).pipe(
      slots.withPermit,
      Effect.ensuring(
        Effect.sync(() => {
          repaired.delete(tenantId)
          wake.openUnsafe()
        })
      )
    )

  const repairDue = Effect.gen(function* () {
    wake.closeUnsafe()
    if (repaired.size >= concurrency) return yield* wake.await
    const now = yield* DateTime.now
    const leaseUntil = DateTime.addDuration(now, options.lease)
    const due = yield* repository.claimDue({ limit: batchSize, now, leaseUntil, exceptTenants: [...repaired] })
    for (const [tenantId, blobs] of Map.groupBy(due, ({ tenantId }) => tenantId)) {
      repaired.add(tenantId)
      // The next claim does not wait for the slowest tenant of this one.
      yield* Effect.forkChild(repairAll(tenantId, blobs))
    }
    if (due.length < batchSize) yield* Effect.timeoutOption(wake.await, options.pollInterval)
  }).pipe(
    Effect.catch(({ reason }) =>
      Effect.andThen(
        Effect.annotateLogs(Effect.logWarning("damaged contents not read; will retry"), { reason }),
        Effect.sleep(options.pollInterval)
      )
    )
  )

  const checkReported = reports.take.pipe(
    Effect.flatMap(({ blobId }) =>
      Effect.flatMap(ReadPace.besideRequests, (pace) => integrity.verifyById(blobId, pace))
    ),
    Effect.flatMap((kind) => (kind === undefined ? Effect.void : wake.open)),
    failureLogged
  )

  return Effect.all([Effect.forever(repairDue), Effect.forever(checkReported)], {
    concurrency: "unbounded",
    discard: true
  })
})

/** Logs why a content could not be checked or repaired. A later read, or the scrub, checks it again. */
const failureLogged = <A, R>(
  self: Effect.Effect<A, { readonly reason: string }, R>
): Effect.Effect<A | void, never, R> =>
  self.pipe(
    Effect.catch(({ reason }) => Effect.annotateLogs(Effect.logWarning("content not checked"), { reason })),
    Effect.catchDefect((defect) => Effect.logError("defect in the integrity worker; it continues", defect))
  )

/** Works while the layer is open. Provide `DamageReports.layer` to the readers, and to this layer. */
export const layer = (
  options: Partial<IntegrityWorkerOptions> = {}
): Layer.Layer<never, never, Integrity | Repairs | DamageRepository> =>
  Layer.effectDiscard(asBackgroundWork(Effect.flatMap(make({ ...defaults, ...options }), Effect.forkScoped)))
