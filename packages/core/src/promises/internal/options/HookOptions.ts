/**
 * The layer for the hooks of `open`.
 */
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FileHooks from "../../../files/hooks/FileHooks.ts"
import { ChangeRefused } from "../../../files/hooks/HookErrors.ts"
import { HookNesting } from "../../../files/hooks/internal/HookNesting.ts"
import type { AfterHook, BeforeHook, HookedFile, ReplaceChange, UploadChange } from "../../Hooks.ts"
import * as HookCalls from "../HookCalls.ts"
import { toDates } from "../Times.ts"
import type { OpenOptions } from "./OpenOptions.ts"

/** A rejection of a hook, or an answer that is none. */
class BadAnswer extends Data.TaggedError("BadAnswer")<{ readonly cause: unknown }> {}

const run = <Change>(before: BeforeHook<Change>, toChange: (signal: AbortSignal) => Change) =>
  Effect.flatMap(
    Effect.flatMap(HookNesting, (nesting) =>
      Effect.tryPromise({
        try: async (signal) => HookCalls.within(nesting, () => before(toChange(signal))),
        catch: (cause) => new BadAnswer({ cause })
      })
    ),
    (answer): Effect.Effect<void, ChangeRefused | BadAnswer> => {
      if (answer === undefined) return Effect.void
      // A program without types might return something else, such as false.
      const reason: unknown = typeof answer === "object" && answer !== null ? answer.refuse : undefined
      return Effect.fail(
        typeof reason === "string"
          ? new ChangeRefused({ reason })
          : new BadAnswer({ cause: "a hook returns nothing, or an object with refuse, the reason as a text" })
      )
    }
  )

/** Opens a content for a hook. The scope closes it: after the hook, what it has kept of the content fails. */
const open = Effect.fnUntraced(function* (content: FileHooks.Upload["content"]) {
  let hasEnded = false
  const pull = yield* Stream.toPull(content)
  yield* Effect.addFinalizer(() => Effect.sync(() => void (hasEnded = true)))
  const pullMeanwhile = Effect.suspend((): typeof pull =>
    hasEnded ? Effect.die(new Error("A hook reads its content only while it runs.")) : pull
  )
  return Stream.toAsyncIterable(Stream.fromPull(Effect.succeed(pullMeanwhile)))
})

const toRecord = (file: FileHooks.Deletion["file"]): HookedFile => toDates(file)

/** Runs a hook after a change. */
const afterOf = (after: AfterHook | undefined): FileHooks.After | undefined =>
  after === undefined
    ? undefined
    : (change) =>
        Effect.tryPromise({
          try: async () => after({ ...change, at: DateTime.toDateUtc(change.at) }),
          catch: (cause) => new BadAnswer({ cause })
        })

/** Runs a hook before a content is stored. */
const ofContent = <Change extends FileHooks.Upload, Hooked extends UploadChange>(
  before: BeforeHook<Hooked> | undefined,
  toHooked: (change: Change, opened: UploadChange) => Hooked
): FileHooks.Before<Change> | undefined =>
  before === undefined
    ? undefined
    : (change) =>
        Effect.scoped(
          Effect.flatMap(open(change.content), (content) => {
            const { actor, file } = change
            return run(before, (signal) => toHooked(change, { actor, file, content, signal }))
          })
        )

/** Returns the layer of the hooks. */
export const layer = ({ hooks = {} }: OpenOptions): Layer.Layer<never> => {
  const { concurrency, onDelete, onReplace, onUpload, timeout } = hooks
  const beforeDelete = onDelete?.before
  return FileHooks.layer({
    concurrency,
    timeout,
    onUpload: {
      before: ofContent(onUpload?.before, (_change: FileHooks.Upload, opened) => opened),
      after: afterOf(onUpload?.after)
    },
    onReplace: {
      before: ofContent(onReplace?.before, ({ current }: FileHooks.Replacement, opened): ReplaceChange => ({
        ...opened,
        current: toRecord(current)
      })),
      after: afterOf(onReplace?.after)
    },
    onDelete: {
      before:
        beforeDelete === undefined
          ? undefined
          : ({ actor, file }) => run(beforeDelete, (signal) => ({ actor, file: toRecord(file), signal })),
      after: afterOf(onDelete?.after)
    }
  })
}
