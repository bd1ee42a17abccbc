/**
 * The error of a deployment that has no mirrors of a type.
 */
import * as Data from "effect/Data"
import * as TargetTypes from "./types/TargetTypes.ts"

/**
 * - `NoTargets`: the deployment has no adapter that opens targets of the type.
 * - `NoKey`: the deployment has no secret key that could seal the credentials.
 */
export class MirrorTypeUnavailable extends Data.TaggedError("MirrorTypeUnavailable")<{
  /** The name that records have. */
  readonly type: string
  readonly reason?: "NoTargets" | "NoKey" | undefined
}> {
  readonly code = "mirror_type_unavailable"
  override get message(): string {
    return this.reason === "NoKey"
      ? "This deployment has no secret key to encrypt the credentials of mirrors with."
      : `This deployment has no mirrors of type ${this.type}.`
  }
}

export const make = (
  type: TargetTypes.TargetLocation["type"],
  reason?: MirrorTypeUnavailable["reason"]
): MirrorTypeUnavailable => new MirrorTypeUnavailable({ type: TargetTypes.ofType(type).wireName, reason })
