/**
 * The removal worker: deletes the rows of removed buckets and tenants in short steps.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as StepWorker from "../workers/StepWorker.ts"
import { type RemovalClaim, RemovalRepository } from "./RemovalRepository.ts"

const make = Effect.fnUntraced(function* (options: Partial<StepWorker.StepWorkerOptions>) {
  const repository = yield* RemovalRepository
  const tasks: StepWorker.Tasks<RemovalClaim> = {
    name: "removal",
    claim: repository.claim,
    step: (terms) => Effect.map(repository.step(terms), ({ deleted, state }) => ({ state, rows: deleted })),
    release: repository.release,
    describe: ({ id, kind }) => ({ id, kind })
  }
  yield* StepWorker.fork(tasks, options)
})

/** Finishes removals while the layer is open. */
export const layer = (
  options: Partial<StepWorker.StepWorkerOptions> = {}
): Layer.Layer<never, never, RemovalRepository | SecureRandom> => Layer.effectDiscard(make(options))
