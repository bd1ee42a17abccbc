/**
 * Deletes events that are older than the retention, in short batches. Every node may run it: nodes skip the events that another
 * one deletes.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerJob } from "../BackgroundWork.ts"
import { Settings } from "../Settings.ts"
import { EventRepository } from "./EventRepository.ts"

/** How often the job runs. */
const interval = Duration.hours(1)

/** The duration of a batch that the job aims at, in milliseconds. On SQLite, other statements wait for a batch. */
const aim = 20

/** The least and the most events of a batch. */
const rows = { least: 50, first: 200, most: 2000 }

/** Deletes all events that are older than the retention. Returns their number. */
export const deleteOld = Effect.fnUntraced(function* (retention: Duration.Input) {
  const repository = yield* EventRepository
  const before = DateTime.subtractDuration(yield* DateTime.now, retention)
  let after: string | null = ""
  let limit = rows.first
  let total = 0
  while (after !== null) {
    const start = yield* Clock.currentTimeMillis
    const step: { readonly deleted: number; readonly next: string | null } = yield* repository.deleteOlder({
      before,
      after,
      limit
    })
    const took = (yield* Clock.currentTimeMillis) - start
    after = step.next
    total += step.deleted
    const possible = took <= 0 || step.deleted === 0 ? rows.most : Math.floor((step.deleted * aim) / took)
    limit = Math.max(rows.least, Math.min(possible, 2 * limit, rows.most))
    // Half of the time is left to the requests.
    yield* Effect.sleep(Duration.millis(Math.min(took, aim)))
  }
  return total
})

const job = Effect.flatMap(Settings, ({ eventRetention }) => deleteOld(eventRetention)).pipe(
  Effect.tap((deleted) =>
    deleted === 0 ? Effect.void : Effect.annotateLogs(Effect.logInfo("old events deleted"), { deleted })
  )
)

/** Deletes events that are older than `Settings.eventRetention`, while the layer is open. */
export const layer: Layer.Layer<never, never, EventRepository> = layerJob(job, interval, {
  worker: "deletion of old events",
  failure: "old events not deleted; will retry"
})
