/**
 * The paths of all routes have one form. A proxy that refuses `/metrics` would pass the others.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import { expect, it } from "vitest"
import { Api } from "../../src/contract/Api.ts"
import * as RawHttp from "../support/RawHttp.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

interface Route {
  readonly method: string
  readonly path: string
}

/** The value of every parameter. */
const parameter = "a_1"

const ownRoutes: ReadonlyArray<Route> = ["/metrics", "/health/live", "/health/ready", "/docs", "/openapi.json"].map(
  (path) => ({ method: "GET", path })
)

const apiRoutes = (): ReadonlyArray<Route> => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) =>
      found.push({ method: endpoint.method, path: endpoint.path.replaceAll(/:\w+/g, parameter) })
  })
  return found
}

const percentEncode = (character: string): string => `%${character.charCodeAt(0).toString(16)}`

/** Other forms of a path, which some programs take for the same. */
const variants = (path: string): ReadonlyArray<string> => [
  path.toUpperCase(),
  path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  `${path};x`,
  `${path};apiKey=x`,
  path.replace(/^(\/[^/]*)/, "$1;x"),
  path.replace(/[a-z]/, percentEncode),
  path.replace(/[a-z]/, (letter) => percentEncode(letter).toUpperCase()),
  path.replace(/[a-z](?!.*[a-z])/, percentEncode),
  `/${path}`,
  path.replace(/\/(?=[^/]*$)/, "//"),
  `${path}/`,
  `${path}//`,
  `${path}/.`,
  `${path}/%2e`,
  `/.${path}`,
  `/x/..${path}`,
  `/x/%2e%2e${path}`,
  `\\${path}`,
  `/%2f${path}`,
  // In the API, these may be the value of a parameter of another route.
  ...(path.startsWith("/api/") ? [] : [`${path}%20`, `${path}%3f`, `${path}%23`]),
  `http://a?${path}`,
  `http://a#${path}`,
  `http:/${path}`,
  path.slice(1)
]

it("every route: path in another form → never the route", { timeout: 120_000 }, async () => {
  const { key, service } = await ServiceBucket.start()
  const statusLine = async ({ method, path }: Route): Promise<readonly [number, string]> => {
    const request = `${method} ${path} HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
    const answer = await RawHttp.sendRaw(service.url, request)
    return [Number(answer.slice(9, 12)), answer]
  }
  const unknown = "This path does not exist."
  for (const route of [...ownRoutes, ...apiRoutes()]) {
    const [, exact] = await statusLine(route)
    expect(exact, `${route.method} ${route.path}`).not.toContain(unknown)
    const others = new Set(variants(route.path))
    others.delete(route.path)
    for (const path of others) {
      const [status, answer] = await statusLine({ method: route.method, path })
      // Node's own parser refuses some targets.
      expect([400, 404], `${route.method} ${path}`).toContain(status)
      if (status === 404) expect(answer, `${route.method} ${path}`).toContain(unknown)
    }
  }
  for (const path of ["/METRICS", "/metrics;x", "/%4detrics", "//metrics", "/metrics/"]) {
    expect((await statusLine({ method: "GET", path }))[0], path).toBe(404)
    expect((await statusLine({ method: "POST", path }))[0], path).toBe(404)
  }
  expect((await statusLine({ method: "GET", path: "http://files.example.com/health/live" }))[0]).toBe(200)
  expect((await statusLine({ method: "POST", path: "/metrics" }))[0]).toBe(405)
})
