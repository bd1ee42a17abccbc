/**
 * The error of a deployment that has no mirrors of a type.
 */
import * as Data from "effect/Data"
import { keyRemedy } from "../../secrets/SecretBox.ts"
import * as TargetTypes from "./types/TargetTypes.ts"

/** Returns the sentence that names the adapter of a type. The service has an adapter of every type; a program with the library adds it. */
const adapterRemedy = (wireName: string): string => {
  const adapter = TargetTypes.all.find((type) => type.wireName === wireName)?.adapter
  return adapter === undefined ? "" : ` A program with the library adds ${adapter} to the option mirrors of open().`
}

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
      ? `This deployment has no secret key to encrypt the credentials of mirrors with. ${keyRemedy}`
      : `This deployment has no mirrors of type ${TargetTypes.toName(this.type)}.${adapterRemedy(this.type)}`
  }
}

export const make = (
  type: TargetTypes.TargetLocation["type"],
  reason?: MirrorTypeUnavailable["reason"]
): MirrorTypeUnavailable => new MirrorTypeUnavailable({ type: TargetTypes.ofType(type).wireName, reason })
