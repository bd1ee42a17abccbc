/**
 * Makes the methods of the client from a table of routes.
 */
import type { CallOptions, Methods, Paged } from "@holdfast/core/promises/Operations"
import * as Iterators from "./Iterators.ts"
import type { ApiRequest, Transport } from "./Transport.ts"

/** The HTTP request of an operation. */
export interface Route<Input> {
  readonly method: ApiRequest["method"]
  /** The path below `/api/v1`. `:bucketId` is replaced by that field of the input. */
  readonly path: string
  /** The fields of the input that are query parameters. */
  readonly query?: ReadonlyArray<keyof NonNullable<Input> & string>
  /** Whether the fields of the input that are not in the path are sent, as a JSON body. */
  readonly hasBody?: boolean
}

/** For each operation its route. */
export type Routes<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (input: infer Input) => unknown ? Route<Input> : never
}

/** Returns the segments of a path, with fields of the input in place of its parameters. */
export const fillPath = (path: string, input: object): ReadonlyArray<string> =>
  path
    .slice(1)
    .split("/")
    .map((segment) => (segment.startsWith(":") ? String(Reflect.get(input, segment.slice(1))) : segment))

const toRequest = (route: Route<object>, input: object): ApiRequest => {
  const pathSegments = route.path.split("/")
  const queryNames: ReadonlyArray<string> = route.query ?? []
  const pick = (isPicked: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => isPicked(name)))
  return {
    method: route.method,
    path: fillPath(route.path, input),
    query: pick((name) => queryNames.includes(name)),
    json: route.hasBody ? pick((name) => !pathSegments.includes(`:${name}`)) : undefined
  }
}

/** Returns one method for each operation. The response to a DELETE has no body. */
export const bind = <Operations>(
  transport: Transport,
  routes: Routes<Operations>,
  ...[paged]: Paged<Operations>
): Methods<Operations, []> => {
  const method =
    (route: Route<object>) =>
    (input: object = {}, options?: CallOptions) => {
      const request = { ...options, ...toRequest(route, input) }
      return route.method === "DELETE" ? transport.empty(request) : transport.json(request)
    }
  const methods = Object.entries(routes as Record<string, Route<object>>).map(([name, route]) => [name, method(route)])
  const bound = Object.fromEntries(methods)
  return { ...bound, ...Iterators.make(bound, paged) } as Methods<Operations, []>
}
