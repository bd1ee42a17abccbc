/**
 * Finds the methods that a path allows. The router itself does not distinguish a wrong method from an unknown path.
 */
import * as FindMyWay from "effect/http/FindMyWay"

export interface Route {
  readonly method: string
  readonly path: string
}

/**
 * Returns the methods of the routes that match a URL (a path with or without a query), sorted for the `Allow` header;
 * an empty array for an unknown path.
 */
export type AllowedMethods = (url: string) => ReadonlyArray<string>

const isPath = (path: string): path is `/${string}` => path.startsWith("/")

export const make = (routes: ReadonlyArray<Route>, config: Partial<FindMyWay.RouterConfig>): AllowedMethods => {
  const router = FindMyWay.make<true>(config)
  const methods = new Set<string>()
  for (const { method, path } of routes) {
    if (!isPath(path)) continue
    methods.add(method)
    router.on(method, path, true)
  }
  return (url) =>
    [...methods]
      .filter((method) => router.find(method, url) !== undefined)
      // A route for GET also answers HEAD.
      .flatMap((method) => (method === "GET" && !methods.has("HEAD") ? ["GET", "HEAD"] : [method]))
      .toSorted()
}
