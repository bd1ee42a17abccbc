/**
 * MirrorTaskRepository on SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Reads from "../../../Reads.ts"
import { millis } from "../../Dialect.ts"
import { operation } from "../../../SqlFailure.ts"
import { transaction } from "../../../Transaction.ts"
import { record, recordFound } from "../../events/RecordEvent.ts"
import * as Row from "../../Row.ts"
import { mirrorEvent, namedColumns, toNamed } from "../MirrorEvents.ts"
import { findCopies } from "./FindCopies.ts"
import { claimTasks } from "./ClaimTasks.ts"
import { clearRemovedMirror } from "./ClearRemovedMirror.ts"
import { abandonTasks, completeTasks } from "./CompleteTasks.ts"
import { findDueMirrors } from "./DueMirrors.ts"
import { createTasks } from "./CreateTasks.ts"
import { renewLeases } from "./MirrorTasks.ts"
import * as ReconcileTarget from "./ReconcileTarget.ts"
import { requestRetries, retryTasks } from "./RetryTasks.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const poll = yield* Reads.makePolls(sql)

  const recover = Effect.fnUntraced(function* (mirrorId: string, now: number) {
    const recovered = yield* sql`UPDATE mirror
      SET failures = 0, retry_at = 0, failing_since = NULL, last_error = NULL
      WHERE id = ${mirrorId} AND failing_since IS NOT NULL RETURNING ${sql.literal(namedColumns)}`.pipe(
      Row.first(toNamed)
    )
    if (Option.isNone(recovered)) return
    yield* record(sql, mirrorEvent("mirror.recovered", recovered.value))
    yield* requestRetries(sql, { mirrorId, now, which: "WITHOUT_ERROR" })
  })

  return MirrorTaskRepository.of({
    due: ({ after, limit, now }) =>
      poll((client) => findDueMirrors(client, { after, limit, now: millis(now) })).pipe(operation("mirrors.due")),

    createTasks: ({ limit, mirrorId, now }) =>
      createTasks(sql, { mirrorId, limit, now: millis(now) }).pipe(operation("mirrors.createTasks")),

    retryTasks: (input) => retryTasks(sql, input).pipe(operation("mirrors.retryTasks")),

    clearRemoved: (input) => clearRemovedMirror(sql, input).pipe(operation("mirrors.clearRemoved")),

    claim: ({ leaseUntil, now, ...input }) =>
      claimTasks(sql, { ...input, leaseUntil: millis(leaseUntil), now: millis(now) }).pipe(operation("mirrors.claim")),

    renew: ({ leaseUntil, leases, now }) =>
      renewLeases(sql, { leases, leaseUntil: millis(leaseUntil), now: millis(now) }).pipe(operation("mirrors.renew")),

    complete: ({ now, results }) => completeTasks(sql, results, millis(now)).pipe(operation("mirrors.complete")),

    abandon: ({ now, tasks }) => abandonTasks(sql, tasks, millis(now)).pipe(operation("mirrors.abandon")),

    fail: ({ detail, mirror, now, retryAt }) =>
      sql`UPDATE mirror SET failures = failures + 1, retry_at = ${millis(retryAt)}, last_error = ${detail},
          failing_since = COALESCE(failing_since, ${millis(now)})
        WHERE id = ${mirror.id} AND revision = ${mirror.revision} AND failures = ${mirror.failures}
        RETURNING ${sql.literal(namedColumns)}`.pipe(
        Row.first(toNamed),
        // Only the first failure is an event, not each retry.
        Effect.map(Option.filter(() => mirror.failure === null)),
        recordFound(sql, (failed) => mirrorEvent("mirror.failing", failed)),
        Effect.asVoid,
        transaction(sql),
        operation("mirrors.fail")
      ),

    recover: ({ mirrorId, now }) => recover(mirrorId, millis(now)).pipe(transaction(sql), operation("mirrors.recover")),

    claimReconciliation: ({ leaseUntil, reconciliation }) =>
      ReconcileTarget.claim(sql, reconciliation, millis(leaseUntil)).pipe(operation("mirrors.claimReconciliation")),

    renewReconciliation: ({ leaseUntil, reconciliation }) =>
      ReconcileTarget.renew(sql, reconciliation, millis(leaseUntil)).pipe(operation("mirrors.renewReconciliation")),

    compare: ({ now, objects, reconciliation }) =>
      ReconcileTarget.compare(sql, reconciliation, objects, millis(now)).pipe(operation("mirrors.compare")),

    findOwnNames: ({ mirrorId, names }) =>
      ReconcileTarget.findOwnNames(sql, mirrorId, names).pipe(operation("mirrors.findOwnNames")),

    markMissing: ({ now, reconciliation, ...batch }) =>
      ReconcileTarget.markMissing(sql, reconciliation, batch, millis(now)).pipe(operation("mirrors.markMissing")),

    completeReconciliation: ({ isComplete, reconciliation }) =>
      ReconcileTarget.complete(sql, reconciliation, isComplete).pipe(operation("mirrors.completeReconciliation")),

    findCopies: (content) => findCopies(sql, content).pipe(operation("mirrors.findCopies")),

    reseal: ({ current, former, mirrorId }) =>
      sql`UPDATE mirror SET secret = ${current} WHERE id = ${mirrorId} AND secret = ${former}`.pipe(
        Effect.asVoid,
        operation("mirrors.reseal")
      )
  })
})

export const layer: Layer.Layer<MirrorTaskRepository, never, SqlClient> = Layer.effect(MirrorTaskRepository, make)
