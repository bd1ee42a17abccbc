/**
 * Which methods a path takes: the router alone tells a wrong method from an unknown path by neither.
 */
import * as FindMyWay from "effect/http/FindMyWay"

export interface Route {
  readonly method: string
  readonly path: string
}

/** The methods that routes have at a URL (path, with or without a query), in the order of `Allow`; none for an unknown path. */
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
      // Whoever answers GET answers HEAD.
      .flatMap((method) => (method === "GET" && !methods.has("HEAD") ? ["GET", "HEAD"] : [method]))
      .toSorted()
}
