/**
 * The body of a problem (RFC 9457) as a plain object, for answers that the router does not write: the server's own,
 * those of a mounted API before its routes, and those that add members.
 */
import { typeOf } from "./Problem.ts"
import { entryOf, type ProblemCode } from "./ProblemTable.ts"

export const contentType = "application/problem+json"

export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly requestId: string
}

/** Returns the body of a problem. Its status is that of the code unless `status` is given. */
export const make = ({
  code,
  detail,
  requestId,
  status = entryOf(code).status
}: Pick<ProblemBody, "code" | "detail" | "requestId"> & { readonly status?: number }): ProblemBody => ({
  type: typeOf(code),
  title: entryOf(code).title,
  status,
  detail,
  code,
  requestId
})
