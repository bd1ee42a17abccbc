/**
 * A policy of the SDK that takes the pages of listings from the SDK, and parses them by `ParseListing`. The SDK sends and signs the
 * requests, retries them and reports errors.
 */
import type { RequestPolicyFactory } from "@azure/storage-blob"
import * as ParseListing from "./ParseListing.ts"

/** The document that the SDK parses instead. */
const empty = "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>"

/**
 * The policy has to see a response before the SDK parses it. The SDK places it there when its factory's constructor has this name,
 * and otherwise behind its parser: then pages have the same blobs, but the SDK parses them as well.
 */
class InjectorPolicyFactory implements RequestPolicyFactory {
  readonly create: RequestPolicyFactory["create"]

  constructor(create: RequestPolicyFactory["create"]) {
    this.create = create
  }
}
// A bundler may have given it another one.
Object.defineProperty(InjectorPolicyFactory, "name", { value: "InjectorPolicyFactory" })

/** Makes the policy, and the function that returns the page of the request with an abort signal, once it has been answered. */
export const make = () => {
  const pages = new WeakMap<object, ParseListing.Page>()
  const factory = new InjectorPolicyFactory((next) => ({
    sendRequest: async (request) => {
      const response = await next.sendRequest(request)
      if (response.status !== 200 || request.abortSignal === undefined) return response
      pages.set(request.abortSignal, await ParseListing.parse(response.bodyAsText ?? ""))
      response.bodyAsText = empty
      return response
    }
  }))
  return { factory, find: (signal: AbortSignal): ParseListing.Page | undefined => pages.get(signal) }
}
