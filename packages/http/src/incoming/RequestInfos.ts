/**
 * What core learns of a request, whether the router or a listener ahead of it answers.
 */
import type { RequestInfo } from "@holdfast/core/access/CurrentRequest"
import * as PageOrigin from "./PageOrigin.ts"

/** The request itself, and who observes what `Access` finds out about it. */
export interface Source extends Omit<RequestInfo, "pageOrigin"> {
  readonly headers: Parameters<typeof PageOrigin.of>[0]
}

/** Returns what core learns of a request. */
export const make = ({ headers, ...info }: Source): RequestInfo => ({
  ...info,
  pageOrigin: () => PageOrigin.of(headers)
})
