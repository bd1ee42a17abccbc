/**
 * The errors of changes that hooks prevent.
 */
import * as Data from "effect/Data"

/** The longest reason that callers get, in characters. */
const maxReason = 500

/** A hook refuses the change. Nothing was changed, and nothing of a content remains. */
export class ChangeRefused extends Data.TaggedError("ChangeRefused")<{
  /** Why, for the person who made the request. */
  readonly reason: string
}> {
  readonly code = "change_refused"
  override get message(): string {
    return `The application refuses this change: ${this.reason.slice(0, maxReason)}`
  }
}

/** A hook has failed or taken too long, so that it is not known whether it permits the change. Nothing was changed. */
export class HookFailed extends Data.TaggedError("HookFailed")<{
  readonly hook: string
  readonly cause?: unknown
}> {
  readonly code = "hook_failed"
  override get message(): string {
    return `The hook ${this.hook} of the application has failed, so that nothing was changed. Try again later.`
  }
}
