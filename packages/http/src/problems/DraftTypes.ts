/**
 * The types of problems that the draft "Resumable Uploads for HTTP" defines (sections "Mismatching Offset", "Completed Upload" and
 * "Inconsistent Length"). Its answers have them in place of the type of the code.
 */
import type { ProblemCode } from "./ProblemTable.ts"

const registry = "https://iana.org/assignments/http-problem-types"

export const completed = `${registry}#completed-upload`
export const inconsistentLength = `${registry}#inconsistent-upload-length`
export const mismatchingOffset = `${registry}#mismatching-upload-offset`

/** The types of problems with a code. */
export const byCode: { readonly [Code in ProblemCode]?: ReadonlyArray<string> } = {
  invalid_request: [completed, inconsistentLength],
  offset_mismatch: [mismatchingOffset]
}
