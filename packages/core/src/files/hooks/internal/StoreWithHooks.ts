/**
 * Calls the hooks of an upload, and then commits it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PreconditionFailed } from "../../../Errors.ts"
import type { MetadataError } from "../../../MetadataError.ts"
import type { StoredFile } from "../../File.ts"
import { FileExists } from "../../FileErrors.ts"
import type { FileRepository } from "../../FileRepository.ts"
import * as StoreFile from "../../internal/StoreFile.ts"
import type { Precondition } from "../../Precondition.ts"
import type { ChangeRefused, HookFailed } from "../HookErrors.ts"
import type { HookRunner, StagedChange } from "./HookRunner.ts"

/** Attempts of a replacement whose place or content another upload changes while its hooks run. */
export const maxAttempts = 5

interface Dependencies {
  readonly hooks: HookRunner
  readonly repository: FileRepository["Service"]
}

type HookedError = ChangeRefused | HookFailed | FileExists | PreconditionFailed | MetadataError

/** The condition that the content of a file is still the one that a hook has seen. */
export const isStill = ({ content }: StoredFile): Precondition =>
  content === null ? { ifNoneMatch: "*" } : { ifMatch: [content.etag] }

/**
 * Makes the function that stores a staged content. `commit` stores it with the given options; it is called again only after it has
 * failed with `FileExists` or `PreconditionFailed`.
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
        // Replaces no other file that takes the place meanwhile, and no other content of this one: the hook has not seen them.
        const how: StoreFile.StoreOptions =
          current === null
            ? { ...storing, onConflict: "fail" }
            : { ...storing, condition: isStill(current), replaceable: current.id }
        return yield* Effect.catchIf(
          commit(how),
          (error) => attempts > 1 && isOutdated(error),
          () => attempt(attempts - 1)
        )
      })
    return Effect.andThen(
      hooks.beforeUpload(change),
      hooks.hasReplace && storing.onConflict === "replace" ? attempt(maxAttempts) : commit(storing)
    )
  }

const isOutdated = (error: unknown): boolean => error instanceof FileExists || error instanceof PreconditionFailed
