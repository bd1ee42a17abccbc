/**
 * Iterates over the items of all pages of a list.
 */
import type { AnyPage, CallOptions } from "../Operations.ts"
import type { ActorHandle } from "./ActorHandle.ts"

type List = (input: object, options?: CallOptions) => Promise<AnyPage<unknown>>

/** Requests the pages of a list one after the other. */
const pagesOf = (list: List, input: object, options?: CallOptions): AsyncIterable<AnyPage<unknown>> => {
  let following: object | null = input
  const next = async (): Promise<IteratorResult<AnyPage<unknown>, undefined>> => {
    if (following === null) return { done: true, value: undefined }
    const value = await list(following, options)
    following = value.nextCursor === null ? null : { ...input, cursor: value.nextCursor }
    return { done: false, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

async function* iterate(list: List, input: object = {}, options?: CallOptions) {
  for await (const page of pagesOf(list, input, options)) yield* page.items
}

/** Returns `iterate` for the list `list`, `iterateParts` for `listParts`, and `iterateDeliveries` for `deliveries`. */
const nameOf = (list: string): string =>
  list.startsWith("list") ? list.replace("list", "iterate") : `iterate${list.charAt(0).toUpperCase()}${list.slice(1)}`

/** Returns the iterators of the lists among methods, by name. */
export const make = (methods: Readonly<Record<string, unknown>>, paged: object = {}): object =>
  Object.fromEntries(
    Object.keys(paged).map((name) => {
      const list = methods[name] as (actor: ActorHandle, ...parameters: Parameters<List>) => ReturnType<List>
      const iterator = (actor: ActorHandle, input?: object, options?: CallOptions) =>
        iterate((page, given) => list(actor, page, given), input, options)
      return [nameOf(name), iterator]
    })
  )
