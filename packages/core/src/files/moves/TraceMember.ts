/**
 * The member of a file's metadata that has the trace of a copy, which mirrors write and read (`mirrors/targets/Trace.ts`).
 */
import type { Metadata } from "../File.ts"

/** The name of the member. Neither headers of S3 nor those of mirrors have a name like this. */
export const metadataName = "holdfast:trace"

/** Returns metadata without the trace: that of a file which a client copies, and no mirror. */
export const withoutTrace = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== metadataName))

/** Returns the new metadata of a file whose content stays, with the trace of the current one unless it has a trace itself. */
export const keepTrace = (current: Metadata, metadata: Metadata): Metadata => {
  const trace = current[metadataName]
  return trace === undefined ? metadata : { [metadataName]: trace, ...metadata }
}
