/**
 * The work of mirrors, in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { millis } from "../../Dialect.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { claim } from "./ClaimTasks.ts"
import { due } from "./DueMirrors.ts"
import { clear, fill } from "./FillTasks.ts"
import { doubt, settle } from "./CompleteTasks.ts"
import * as ReconcileTarget from "./ReconcileTarget.ts"
import { hurry, renew } from "./MirrorTasks.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient

  return MirrorTaskRepository.of({
    due: (at, after, limit) => due(sql, millis(at), after, limit).pipe(operation("mirrors.due")),

    fill: (mirrorId, limit, at) => fill(sql, mirrorId, limit, millis(at)).pipe(operation("mirrors.fill")),

    clear: (mirrorId, limit) => clear(sql, mirrorId, limit).pipe(operation("mirrors.clear")),

    claim: (mirror, limit, lease, at, leaseUntil) =>
      claim(sql, mirror, limit, lease, millis(at), millis(leaseUntil)).pipe(operation("mirrors.claim")),

    renew: (holds, leaseUntil) => renew(sql, holds, millis(leaseUntil)).pipe(operation("mirrors.renew")),

    complete: (outcomes, at) => settle(sql, outcomes, millis(at)).pipe(operation("mirrors.settle")),

    abandon: (tasks, at) => doubt(sql, tasks, millis(at)).pipe(operation("mirrors.doubt")),

    fail: (mirror, detail, at, retryAt) =>
      sql`UPDATE mirror SET failures = failures + 1, retry_at = ${millis(retryAt)}, last_error = ${detail},
          failing_since = COALESCE(failing_since, ${millis(at)})
        WHERE id = ${mirror.id} AND revision = ${mirror.revision} AND failures = ${mirror.failures}`.pipe(
        Effect.asVoid,
        operation("mirrors.fail")
      ),

    recover: (mirrorId, at) =>
      Effect.gen(function* () {
        const recovered = yield* sql`UPDATE mirror
          SET failures = 0, retry_at = 0, failing_since = NULL, last_error = NULL
          WHERE id = ${mirrorId} AND failing_since IS NOT NULL RETURNING id`
        if (recovered.length > 0) yield* hurry(sql, mirrorId, millis(at), "BLAMELESS")
      }).pipe(transaction(sql), operation("mirrors.recover")),

    claimReconciliation: (sync, leaseUntil) =>
      ReconcileTarget.begin(sql, sync, millis(leaseUntil)).pipe(operation("mirrors.beginSync")),

    renewReconciliation: (sync, leaseUntil) =>
      ReconcileTarget.renew(sql, sync, millis(leaseUntil)).pipe(operation("mirrors.renewSync")),

    compare: (sync, objects, at) =>
      ReconcileTarget.compare(sql, sync, objects, millis(at)).pipe(operation("mirrors.compare")),

    findOwnNames: ({ mirrorId, names }) =>
      ReconcileTarget.findOwnNames(sql, mirrorId, names).pipe(operation("mirrors.findOwnNames")),

    completeReconciliation: (sync, isComplete, at) =>
      ReconcileTarget.end(sql, sync, isComplete, millis(at)).pipe(operation("mirrors.endSync"))
  })
})

export const layer: Layer.Layer<MirrorTaskRepository, never, SqlClient> = Layer.effect(MirrorTaskRepository, make)
