/**
 * The worker of folder jobs: moves and removes the files of large folders in short steps.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access } from "../access/Access.ts"
import { EventAuthor } from "../events/EventAuthor.ts"
import * as RandomSuffix from "../files/internal/RandomSuffix.ts"
import { Settings } from "../Settings.ts"
import * as StepWorker from "../workers/StepWorker.ts"
import { type FolderJobClaim, FolderRepository } from "./FolderRepository.ts"

/** A job ends with the key that requested it. */
const notPermitted = {
  code: "forbidden",
  detail:
    "The key or the account that requested this job may not change the files of this folder any more. Request the rest with another key."
}

const make = Effect.fnUntraced(function* (options: Partial<StepWorker.StepWorkerOptions>) {
  const access = yield* Access
  const repository = yield* FolderRepository
  const random = yield* SecureRandom
  const { blobGrace } = yield* Settings
  const tasks: StepWorker.Tasks<FolderJobClaim> = {
    name: "folder job",
    claim: repository.claim,
    step: (terms) =>
      Effect.gen(function* () {
        const { author, bucket, path, to } = terms.claim
        const at = yield* DateTime.now
        const places = [{ ...bucket, path }, ...(to === null ? [] : [{ ...bucket, path: to }])]
        if (!(yield* access.isStillPermitted(author, places, "file:write"))) {
          return yield* repository.fail({ claim: terms.claim, error: notPermitted, at })
        }
        const suffix = yield* RandomSuffix.make(random)
        return yield* repository.step({ ...terms, suffix, at, sweepAt: DateTime.addDuration(at, blobGrace) })
      }).pipe(Effect.provideService(EventAuthor, terms.claim.author)),
    release: repository.release,
    describe: ({ id, kind }) => ({ id, kind })
  }
  yield* StepWorker.fork(tasks, options)
})

/** Finishes folder jobs while the layer is open. */
export const layer = (
  options: Partial<StepWorker.StepWorkerOptions> = {}
): Layer.Layer<never, never, Access | FolderRepository | SecureRandom> => Layer.effectDiscard(make(options))
