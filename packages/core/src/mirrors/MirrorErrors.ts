/**
 * Errors of mirrors, beyond those that all services share.
 */
import * as Data from "effect/Data"
import type { Reason } from "./targets/MirrorTargetError.ts"

/** A check of the target failed: it cannot be written, listed, or cleared with these credentials. */
export class MirrorTargetUnreachable extends Data.TaggedError("MirrorTargetUnreachable")<{
  readonly reason: Reason
  /** The response of the target, in its own words. */
  readonly detail: string
}> {
  readonly code = "mirror_target_unreachable"
  override get message(): string {
    return `The target of the mirror cannot be used: ${this.detail}`
  }
}

/** Mirrors lead from the target bucket back to the source bucket. */
export class MirrorLoop extends Data.TaggedError("MirrorLoop")<{}> {
  readonly code = "mirror_loop"
  override readonly message = "Mirrors lead from the target bucket back to this bucket. Choose another target."
}
