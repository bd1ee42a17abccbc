/**
          metadata: runCheck("metadata", deployment.check),
          blobs: runCheck("blobs", store.check),
          clock: runCheck("clock", yield* ClockCheck)
 */
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import { ClockCheck } from "./ClockCheck.ts"
import * as ProblemBody from "../../problems/ProblemBody.ts"
import * as RequestId from "../../problems/RequestId.ts"
import { Draining } from "../listener/Draining.ts"

type CheckResult = "ok" | "unavailable" | "storage_full" | "internal" | "clock_skew"

interface Checks {
  readonly metadata: CheckResult
  readonly blobs: CheckResult
  readonly clock: CheckResult
}

/** How long a check may take. A store that has not answered by then counts as unavailable. */
const checkTimeout = "2 seconds"

/** How long a result is reused. Anyone may send these requests, so their number must not load the stores. */
const validity = "1 second"

/** Lets the timeout of a check answer at once: interrupting a statement takes seconds when the server does not answer. */
const withoutWaitingForInterruption = <A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(check), (fiber) =>
    Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
  )

const runCheck = <E extends { readonly code: Exclude<CheckResult, "ok"> }>(
  store: string,
  check: Effect.Effect<unknown, E>
): Effect.Effect<CheckResult> =>
  check.pipe(
    Effect.as("ok" as const),
    Effect.catch((error): Effect.Effect<CheckResult> =>
      Effect.as(Effect.logWarning(`not ready: ${store} check failed`, error), error.code)
    ),
    withoutWaitingForInterruption,
    Effect.timeoutOrElse({
      duration: checkTimeout,
      orElse: () =>
        Effect.logWarning(`not ready: ${store} check timed out`).pipe(
          Effect.annotateLogs({ timeout: checkTimeout }),
          Effect.as("unavailable" as const)
        )
    })
  )

const headers = { "cache-control": "no-store" }

const refuse = (detail: string, checks?: Checks) =>
  Effect.map(RequestId.current, (requestId) => {
    const body = ProblemBody.make({ code: "unavailable", detail, requestId })
    return HttpServerResponse.jsonUnsafe(
      { ...body, checks },
      { status: body.status, contentType: ProblemBody.contentType, headers }
    )
  })

const respond = (checks: Checks) => {
  const failed = Object.entries(checks).flatMap(([store, result]) =>
    result === "ok" || result === "storage_full" ? [] : [store]
  )
  if (failed.length > 0) return refuse(`Not ready: ${failed.join(" and ")}.`, checks)
  // A full store reads, deletes and revokes, which must stay reachable through a balancer.
  const status = Object.values(checks).includes("storage_full") ? "storage_full" : "ok"
  return Effect.succeed(HttpServerResponse.jsonUnsafe({ status, checks }, { headers }))
}

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | BlobStore | DeploymentRepository> =
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const deployment = yield* DeploymentRepository
      const store = yield* BlobStore
      const draining = yield* Draining
      const checks = Effect.all(
        {
          metadata: runCheck("metadata", deployment.check),
          blobs: runCheck("blobs", store.check),
          clock: runCheck("clock", yield* ClockCheck)
        },
        { concurrency: "unbounded" }
      )
      const recentChecks = yield* Effect.cachedWithTTL(checks, validity)
      yield* router.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers }))
      yield* router.add(
        "GET",
        "/health/ready",
        Effect.suspend(() =>
          draining.isActive() ? refuse("Not ready: the service is stopping.") : Effect.flatMap(recentChecks, respond)
        )
      )
    })
  )
