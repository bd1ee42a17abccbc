/**
 * Calls the hooks of an upload, and then commits it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { MetadataError } from "../../../MetadataError.ts"
import type { StoredFile } from "../../File.ts"
import type { FileExists } from "../../FileErrors.ts"
import type { FileRepository } from "../../FileRepository.ts"
import * as StoreFile from "../../internal/StoreFile.ts"
import type { PreconditionFailed } from "../../../Errors.ts"
import type { ChangeRefused, HookFailed } from "../HookErrors.ts"
import type { HookRunner, StagedChange } from "./HookRunner.ts"

/** Attempts of a replacement whose place another upload takes while its hooks run. */
const maxAttempts = 5

interface Dependencies {
  readonly hooks: HookRunner
  readonly repository: FileRepository["Service"]
}

type HookedError = ChangeRefused | HookFailed | FileExists | PreconditionFailed | MetadataError

/**
 * Makes the function that stores a staged content. `commit` stores it with the given options; it is called again only after it has
 * failed with `FileExists`.
 */
export const make =
  ({ hooks, repository }: Dependencies) =>
  <E>(
    storing: StoreFile.StoreOptions,
    change: StagedChange,
    commit: (options: StoreFile.StoreOptions) => Effect.Effect<StoredFile, E | FileExists>
  ): Effect.Effect<StoredFile, E | HookedError> => {
    const attempt = (attempts: number): Effect.Effect<StoredFile, E | HookedError> =>
      Effect.gen(function* () {
        const found = yield* repository.find(change.bucket, StoreFile.toSelector(change.file))
        const current = Option.getOrNull(found)
        yield* StoreFile.check(storing, current)
        if (current !== null) yield* hooks.beforeReplace(change, current)
        // Replaces no other file that takes the place meanwhile: the hook has not seen it.
        return yield* Effect.catchIf(
          commit(current === null ? { ...storing, onConflict: "fail" } : { ...storing, replaceable: current.id }),
          (error): error is FileExists => attempts > 1 && isFileExists(error),
          () => attempt(attempts - 1)
        )
      })
    return Effect.andThen(
      hooks.beforeUpload(change),
      hooks.hasReplace && storing.onConflict === "replace" ? attempt(maxAttempts) : commit(storing)
    )
  }

const isFileExists = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "FileExists"
