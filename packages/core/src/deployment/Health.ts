/**
 * Whether a process can do its work: the database and the blob store answer, and the clock is right.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { BlobStore } from "../storage/BlobStore.ts"
import { ClockCheck } from "./ClockCheck.ts"
import { DeploymentRepository } from "./DeploymentRepository.ts"

/** `ok`, or the code of the failure. */
export type CheckResult = "ok" | "unavailable" | "storage_full" | "internal" | "clock_skew"

/** The results by what was checked. `clock` is absent where nothing compares the clocks of the machine and the database. */
export interface HealthChecks {
  readonly metadata: CheckResult
  readonly blobs: CheckResult
  readonly clock?: CheckResult
}

export interface HealthReport {
  /**
   * `unavailable` if a check failed: another process should get the requests. `storage_full` if contents and new records are
   * refused for lack of space; reading, deleting and revoking work.
   */
  readonly status: "ok" | "storage_full" | "unavailable"
  readonly checks: HealthChecks
}

export class Health extends Context.Service<
  Health,
  {
    /** Checks both stores, each for two seconds at most. A result is reused for one second. */
    readonly check: Effect.Effect<HealthReport>
  }
>()("@holdfast/core/deployment/Health") {}

/** How long a check may take. A store that has not answered by then counts as unavailable. */
const checkTimeout = "2 seconds"

/** How long a result is reused. Anyone may send the requests that ask for it, so their number must not load the stores. */
const validity = "1 second"

/** Lets the timeout of a check answer at once: interrupting a statement takes seconds when the server does not answer. */
const withoutWaitingForInterruption = <A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(check), (fiber) =>
    Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
  )

const runCheck = <E extends { readonly code: Exclude<CheckResult, "ok"> }>(
  checked: string,
  check: Effect.Effect<unknown, E>
): Effect.Effect<CheckResult> =>
  check.pipe(
    Effect.as("ok" as const),
    Effect.catch((error): Effect.Effect<CheckResult> =>
      Effect.as(Effect.logWarning(`not ready: ${checked} check failed`, error), error.code)
    ),
    withoutWaitingForInterruption,
    Effect.timeoutOrElse({
      duration: checkTimeout,
      orElse: () =>
        Effect.logWarning(`not ready: ${checked} check timed out`).pipe(
          Effect.annotateLogs({ timeout: checkTimeout }),
          Effect.as("unavailable" as const)
        )
    })
  )

const toReport = (checks: HealthChecks): HealthReport => {
  const results: ReadonlyArray<CheckResult> = Object.values(checks)
  // A full store reads, deletes and revokes, which must stay reachable through a balancer.
  if (results.some((result) => result !== "ok" && result !== "storage_full")) return { status: "unavailable", checks }
  return { status: results.includes("storage_full") ? "storage_full" : "ok", checks }
}

export const layer: Layer.Layer<Health, never, BlobStore | DeploymentRepository> = Layer.effect(
  Health,
  Effect.gen(function* () {
    const deployment = yield* DeploymentRepository
    const store = yield* BlobStore
    const clock = yield* ClockCheck
    const checks = Effect.all(
      {
        metadata: runCheck("metadata", deployment.check),
        blobs: runCheck("blobs", store.check),
        ...(clock === undefined ? {} : { clock: runCheck("clock", clock) })
      },
      { concurrency: "unbounded" }
    )
    return Health.of({ check: yield* Effect.cachedWithTTL(Effect.map(checks, toReport), validity) })
  })
)
