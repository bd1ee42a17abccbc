/**
 * What can go wrong with mirrors, beyond the errors that every service shares.
 */
import * as Data from "effect/Data"
import type { Reason } from "./targets/MirrorTargetError.ts"

/** The target did not let itself be written, listed and cleared with what was given. */
export class MirrorTargetUnreachable extends Data.TaggedError("MirrorTargetUnreachable")<{
  readonly reason: Reason
  /** The target's own words. */
  readonly detail: string
}> {
  readonly code = "mirror_target_unreachable"
  override get message(): string {
    return `The target of the mirror cannot be used: ${this.detail}`
  }
}

/** From the target bucket, mirrors lead back to the source. */
export class MirrorLoop extends Data.TaggedError("MirrorLoop")<{}> {
  readonly code = "mirror_loop"
  override readonly message = "From the target bucket, mirrors lead back to this one."
}

/** This deployment has no access to targets of the type, or no key to seal their credentials with. */
export class MirrorTypeUnavailable extends Data.TaggedError("MirrorTypeUnavailable")<{
  readonly type: string
  readonly reason?: "NoTargets" | "NoKey" | undefined
}> {
  readonly code = "mirror_type_unavailable"
  override get message(): string {
    return this.reason === "NoKey"
      ? "This deployment has no mirrors: it has no secret key that could seal their credentials."
      : `This deployment has no mirrors of type ${this.type}.`
  }
}
