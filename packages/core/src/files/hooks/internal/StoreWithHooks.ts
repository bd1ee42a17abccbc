/**
 * Calls the hooks of an upload, and then commits it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import { PreconditionFailed } from "../../../Errors.ts"
import type { MetadataError } from "../../../MetadataError.ts"
import * as KeyedLock from "../../../storage/KeyedLock.ts"
import type { StoredFile } from "../../File.ts"
import type { Place } from "../../FileRef.ts"
import { FileExists } from "../../FileErrors.ts"
import type { FileRepository } from "../../FileRepository.ts"
import * as StoreFile from "../../internal/StoreFile.ts"
import type { Precondition } from "../../Precondition.ts"
import { ChangeRefused, type HookFailed } from "../HookErrors.ts"
import { HookNesting } from "./HookNesting.ts"
import type { HookRunner, StagedChange } from "./HookRunner.ts"

/** Attempts of a replacement whose place or content others change while its hooks run. */
const maxAttempts = 20

/** What an attempt returns whose hooks have not seen what it would have replaced. */
class Outdated {
  readonly error: FileExists | PreconditionFailed
  constructor(error: FileExists | PreconditionFailed) {
    this.error = error
  }
}

/** Runs the commit of an attempt. */
export const orOutdated = <A, E>(commit: Effect.Effect<A, E>): Effect.Effect<A | Outdated, E> =>
  Effect.catch(commit, (error) =>
    error instanceof FileExists || error instanceof PreconditionFailed
      ? Effect.succeed(new Outdated(error))
      : Effect.fail(error)
  )

/** Attempts a replacement until it is not outdated. */
export type Retry = (
  bucket: BucketRef,
  place: Place
) => <E>(
  attempt: Effect.Effect<StoredFile | Outdated, E>
) => Effect.Effect<StoredFile, E | Outdated["error"] | ChangeRefused>

const replacesItself = new ChangeRefused({
  reason: "the hook that decides about this file replaces it each time that it is called. Do so in onReplace.after."
})

/**
 * Makes the function that repeats attempts. Those at one place take turns, because of several at once the first to commit would make all
 * others outdated. The first attempt waits for no turn: a hook may itself replace the file. It may not do so again in a further attempt,
 * which has the turn and would be outdated each time.
 */
export const makeRetry = (): Retry => {
  const lock = KeyedLock.make()
  return ({ bucketId }, { name, path }) =>
    (attempt) => {
      const key = `${bucketId}${path}${name}`
      const further = Effect.gen(function* () {
        let result = yield* attempt
        for (let made = 2; result instanceof Outdated && made < maxAttempts; made++) result = yield* attempt
        return result
      })
      return Effect.gen(function* () {
        const { depth, turns } = yield* HookNesting
        if (turns.has(key)) return yield* replacesItself
        const first = yield* attempt
        const inTurn = Effect.provideService(further, HookNesting, { depth, turns: new Set([...turns, key]) })
        const result = first instanceof Outdated ? yield* lock(key)(inTurn) : first
        return result instanceof Outdated ? yield* result.error : result
      })
    }
}

interface Dependencies {
  readonly hooks: HookRunner
  readonly retry: Retry
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
  ({ hooks, repository, retry }: Dependencies) =>
  <E>(
    storing: StoreFile.StoreOptions,
    change: StagedChange,
    commit: (options: StoreFile.StoreOptions) => Effect.Effect<StoredFile, E | FileExists>
  ): Effect.Effect<StoredFile, E | HookedError> => {
    const attempt = Effect.gen(function* () {
      const found = yield* repository.find(change.bucket, StoreFile.toSelector(change.file))
      const current = Option.getOrNull(found)
      yield* StoreFile.check(storing, current)
      if (current !== null) yield* hooks.beforeReplace(change, current)
      // Replaces no other file that takes the place meanwhile, and no other content of this one: the hook has not seen them.
      const how: StoreFile.StoreOptions =
        current === null
          ? { ...storing, onConflict: "fail" }
          : { ...storing, condition: isStill(current), replaceable: current.id }
      return yield* orOutdated(commit(how))
    })
    return Effect.andThen(
      hooks.beforeUpload(change),
      hooks.hasReplace && storing.onConflict === "replace"
        ? retry(change.bucket, change.file)(attempt)
        : commit(storing)
    )
  }
