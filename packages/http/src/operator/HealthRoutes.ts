/**
 * `GET /health/live`, for restarts: the process answers. `GET /health/ready`, for load balancers: the process can do its work.
 */
import { Health, type HealthChecks, type HealthReport } from "@holdfast/core/deployment/Health"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as ProblemBody from "../problems/ProblemBody.ts"
import * as RequestId from "../problems/RequestId.ts"
import { Draining } from "./Draining.ts"

const headers = { "cache-control": "no-store" }

const refuse = (detail: string, checks?: HealthChecks) =>
  Effect.map(RequestId.current, (requestId) => {
    const body = ProblemBody.make({ code: "unavailable", detail, requestId })
    return HttpServerResponse.jsonUnsafe(
      { ...body, checks },
      { status: body.status, contentType: ProblemBody.contentType, headers }
    )
  })

const respond = ({ checks, status }: HealthReport) => {
  if (status !== "unavailable") return Effect.succeed(HttpServerResponse.jsonUnsafe({ status, checks }, { headers }))
  const failed = Object.entries(checks).flatMap(([checked, result]) =>
    result === "ok" || result === "storage_full" ? [] : [checked]
  )
  return refuse(`Not ready: ${failed.join(" and ")}.`, checks)
}

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Health> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { check } = yield* Health
    const draining = yield* Draining
    yield* router.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers }))
    yield* router.add(
      "GET",
      "/health/ready",
      Effect.suspend(() =>
        draining.isActive() ? refuse("Not ready: the service is stopping.") : Effect.flatMap(check, respond)
      )
    )
  })
)
