/**
 * How a run ended that did not make its conversion READY.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import { QuotaExceeded } from "../../../Errors.ts"
import { ContentDamaged } from "../../../files/FileErrors.ts"
import { BlobError } from "../../../storage/BlobError.ts"
import type { Mode } from "../../../transcoding/ConversionPlan.ts"
import { TranscodeError } from "../../../transcoding/TranscodeError.ts"
import { type ConversionClaim, LeaseLost } from "../../ConversionClaim.ts"
import type { ConversionWorkerOptions } from "../ConversionWorkerOptions.ts"
import { WorkspaceError } from "../ConversionWorkspace.ts"
import type { ConversionFault } from "../../StoredConversion.ts"

/**
 * - `LeaseLost`: the worker lost the lease. There is nothing to record.
 * - `Failed`: the content cannot be converted. Another attempt would fail, too.
 * - `Retry`: something else than the content failed, such as the blob store or the disk.
 * - `Encode`: tracks cannot be copied. The next claim encodes them, in this mode.
 * - `Released`: the worker was shut down, or a conversion whose workers died again and again has to wait. No attempt.
 */
export type ConversionOutcome =
  | { readonly _tag: "LeaseLost" }
  | { readonly _tag: "Failed"; readonly fault: ConversionFault }
  | { readonly _tag: "Retry"; readonly fault: ConversionFault }
  | { readonly _tag: "Encode"; readonly mode: Mode }
  | { readonly _tag: "Released"; readonly delay: Duration.Duration }

const serverError: ConversionFault = {
  code: "internal",
  detail: "The conversion failed because of a server error, not because of the file."
}

const interrupted: ConversionFault = {
  code: "internal",
  detail:
    "The conversion was interrupted too often: the processes that ran it ended. Request it again later, or ask the operator of this deployment."
}

const storageFull: ConversionFault = {
  code: "storage_full",
  detail: new TranscodeError({ reason: "StorageFull", operation: "convert" }).message
}

const contentDamaged: ConversionFault = { code: "content_damaged", detail: new ContentDamaged().message }

/** Whether a workspace or the blob store has no space left. */
const isStorageFull = (error: unknown): boolean =>
  (error instanceof WorkspaceError || error instanceof BlobError) && error.reason === "StorageFull"

/** Reasons that are about the content. */
const contentReasons: ReadonlySet<TranscodeError["reason"]> = new Set([
  "NotMedia",
  "Unsupported",
  "Encrypted",
  "NotCopyable",
  "LimitExceeded",
  "Failed"
])

/** Returns the outcome of a run in this mode that failed with this cause. */
export const fromCause = (cause: Cause.Cause<unknown>, mode: Mode): ConversionOutcome => {
  const failures = cause.reasons.flatMap((reason) => (Cause.isFailReason(reason) ? [reason.error] : []))
  if (failures.some((error) => error instanceof LeaseLost)) return { _tag: "LeaseLost" }
  const error = failures.find((failure) => failure instanceof TranscodeError)
  if (error !== undefined) {
    if (error.reason === "NotCopyable" && mode !== "transcode") {
      // Each mode is tried once at most.
      const { nextMode = "transcode" } = error
      return { _tag: "Encode", mode: mode === "auto" ? nextMode : "transcode" }
    }
    const fault = { code: error.code, detail: error.message }
    return contentReasons.has(error.reason) ? { _tag: "Failed", fault } : { _tag: "Retry", fault }
  }
  // The content may be repaired from a mirror.
  if (failures.some((error) => error instanceof ContentDamaged)) return { _tag: "Retry", fault: contentDamaged }
  // Another attempt would produce as many bytes.
  const exceeded = failures.find((failure) => failure instanceof QuotaExceeded)
  if (exceeded !== undefined) {
    return { _tag: "Failed", fault: { code: "conversion_failed", detail: exceeded.message } }
  }
  if (failures.some(isStorageFull)) return { _tag: "Retry", fault: storageFull }
  // A failure interrupts the fibers beside it. Interruptions without a failure mean that the worker is shut down.
  return Cause.hasInterruptsOnly(cause)
    ? { _tag: "Released", delay: Duration.zero }
    : { _tag: "Retry", fault: serverError }
}

/** Interruptions after which the next worker converts at once. */
const freeInterruptions = 3

const longestDelay = Duration.minutes(10)

/**
 * Returns the outcome of a claim that has to end before it runs; undefined for one that runs. A conversion whose workers died several
 * times waits, longer each time: if it is what kills them, they have time for others.
 */
export const beforeRun = (
  { interruptions, takesOver }: ConversionClaim,
  { maxInterruptions, retryDelay }: Pick<ConversionWorkerOptions, "maxInterruptions" | "retryDelay">
): ConversionOutcome | undefined => {
  if (!takesOver || interruptions <= Math.min(freeInterruptions, maxInterruptions)) return undefined
  if (interruptions > maxInterruptions) return { _tag: "Failed", fault: interrupted }
  const delay = Duration.times(retryDelay, 2 ** (interruptions - freeInterruptions - 1))
  return { _tag: "Released", delay: Duration.min(delay, longestDelay) }
}
