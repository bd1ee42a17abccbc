/**
 * Reads the listing of a target page by page. The user of a mirror chooses the service, which may never end its listing, or send more
 * than was requested.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { TargetObject } from "./MirrorTarget.ts"

/** Pages without an object in a row. Services may send some where objects have been removed. */
const maxEmptyPages = 50

/** One page of a listing. */
export interface Page {
  readonly objects: ReadonlyArray<TargetObject>
  /** The token of the next page; undefined on the last one. */
  readonly next: string | undefined
}

/** Finds the fault of a listing that does not progress, with memory for one token. */
const makeProgress = () => {
  let pages = 0
  let emptyPages = 0
  let kept: string | undefined
  let keepAt = 1
  return ({ next, objects }: Page): string | undefined => {
    emptyPages = objects.length === 0 ? emptyPages + 1 : 0
    if (emptyPages > maxEmptyPages) return "it listed one page without objects after the other"
    if (next === undefined) return undefined
    if (next === kept) return "its listing has the same page twice"
    // Brent's algorithm: finds a cycle of any length within a few times its length.
    if (++pages === keepAt) {
      kept = next
      keepAt *= 2
    }
    return undefined
  }
}

/**
 * Reads all pages. Fails with the error of `toError` for a listing without end: one that returns to a page, or has many empty pages
 * in a row.
 *
 * Does not compare the names of a page with those before. The order of names differs: directory buckets of S3 have none, and services
 * with real folders list a folder where its name has its place among the names beside it.
 */
export const read = <E>(
  page: (token: string | undefined) => Effect.Effect<Page, E>,
  toError: (fault: string) => E
): Stream.Stream<TargetObject, E> =>
  Stream.suspend(() => {
    const findFault = makeProgress()
    return Stream.paginate<string | undefined, TargetObject, E>(undefined, (token) =>
      Effect.flatMap(page(token), (one) => {
        const fault = findFault(one)
        return fault === undefined
          ? Effect.succeed([one.objects, Option.fromUndefinedOr(one.next)] as const)
          : Effect.fail(toError(fault))
      })
    )
  })

/** Returns the fault of a page with more objects than were requested; undefined when it has none. */
export const findExcess = (count: number, requested: number): string | undefined =>
  count > requested ? `it listed ${count} objects where ${requested} were requested` : undefined
