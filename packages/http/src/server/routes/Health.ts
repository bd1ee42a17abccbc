/**
 * Whether the process runs, and whether it can serve. Neither needs a key, so neither tells more than that.
 */
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import { RequestId } from "../../problems/RequestId.ts"
import * as Problem from "../../problems/Problem.ts"
import { entryOf } from "../../problems/ProblemTable.ts"

type Part = "ok" | "unavailable" | "storage_full" | "internal"

interface Checks {
  readonly metadata: Part
  readonly blobs: Part
}

/** A part that does not answer by then is down, whatever it would have said. */
const patience = "2 seconds"

/** Probes in between are answered alike: anybody may ask, and asking must not become a load. */
const validFor = "1 second"

const examine = <E extends { readonly code: Exclude<Part, "ok"> }>(
  part: string,
  check: Effect.Effect<unknown, E>
): Effect.Effect<Part> =>
  check.pipe(
    Effect.as("ok" as const),
    Effect.catch((error): Effect.Effect<Part> => Effect.as(Effect.logWarning(`Not ready: ${part}`, error), error.code)),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.as(Effect.logWarning(`Not ready: ${part} does not answer`), "unavailable" as const)
    })
  )

const answer = ({ blobs, metadata }: Checks) =>
  Effect.map(RequestId, (requestId) => {
    const checks = { metadata, blobs }
    if (metadata === "ok" && blobs === "ok") return HttpServerResponse.jsonUnsafe({ status: "ok", checks }, { headers })
    const { status, title } = entryOf("unavailable")
    const down = Object.entries(checks).flatMap(([part, state]) => (state === "ok" ? [] : [part]))
    return HttpServerResponse.jsonUnsafe(
      {
        type: Problem.typeOf("unavailable"),
        title,
        status,
        detail: `Not ready: ${down.join(" and ")}.`,
        code: "unavailable",
        requestId,
        checks
      },
      { status, contentType: "application/problem+json", headers }
    )
  })

const headers = { "cache-control": "no-store" }

/** `GET /health/live` and `GET /health/ready`. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | AccountRepository | BlobStore> = HttpRouter.use(
  (router) =>
    Effect.gen(function* () {
      const accounts = yield* AccountRepository
      const store = yield* BlobStore
      const checks = Effect.all(
        {
          metadata: examine("metadata", accounts.listKeys(undefined, 1)),
          blobs: examine("blobs", store.check)
        },
        { concurrency: "unbounded" }
      )
      const recent = yield* Effect.cachedWithTTL(checks, validFor)
      yield* router.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers }))
      yield* router.add("GET", "/health/ready", Effect.flatMap(recent, answer))
    })
)
