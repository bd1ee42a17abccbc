/**
 * Requests as large and as expensive as the protocol permits.
 */
import * as HostileRequests from "@holdfast/testing/hostile/HostileRequests"
import * as Effect from "effect/Effect"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"
import type { Site } from "../Site.ts"

const mebibyte = 1024 ** 2

/** Bodies of a JSON operation of at most 1 MiB. */
const bodies: Readonly<Record<string, string>> = {
  emptyObjects: `[${"{},".repeat(349_517)}{}]`,
  deepMetadata: `{"name":"deep","metadata":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`,
  deepArrays: "[".repeat(mebibyte - 1),
  manyMembers: `{${Array.from({ length: 60_000 }, (_, index) => `"member-${index}":1`).join(",")}}`,
  longName: JSON.stringify({ name: "x".repeat(mebibyte - 100) }),
  escapes: `{"name":"${"\\u0061".repeat(170_000)}"}`
}

const post = (site: Site, fileId: string): ReadonlyArray<ReturnType<typeof Calls.call>> => {
  const { files } = site.attacker
  return Object.values(bodies).flatMap((body) => [
    Calls.call("POST", site.url(files(`/${fileId}/headers/bulk`)), body),
    Calls.call("POST", site.url(files("")), body)
  ])
}

export const largeBodies: Operation = {
  name: "large-bodies",
  description: "JSON bodies of 1 MiB: empty objects, deep nesting, many members; three at a time",
  prepare: Effect.fnUntraced(function* (site) {
    const fileId = yield* site.store(4096)
    const calls = Array.from({ length: Math.ceil(site.sizes.repetitions / 4) }, () => post(site, fileId))
    const work = Calls.callAll(calls.flat(), 3)
    return { work }
  })
}

export const hostileRequests: Operation = {
  name: "hostile-requests",
  description:
    "each field and parameter of every operation with wrong types, 1 MiB of text and invalid text; three at a time",
  prepare: Effect.fnUntraced(function* (site) {
    const { bucketId, files, tenantId } = site.attacker
    const fileId = yield* site.store(4096)
    const key = new URL(site.url(files(""))).searchParams.get("apiKey") ?? ""
    const { text } = yield* Calls.call("GET", site.url("/openapi.json"))
    const document = JSON.parse(text) as object
    const calls = HostileRequests.make(document, { tenantId, bucketId, fileId }).map(
      ({ body, headers, method, path }) =>
        Effect.suspend(() => Calls.call(method, site.url(path), body(), { ...headers, "x-api-key": key }))
    )
    return { work: Calls.callAll(calls, 3) }
  })
}

/** Ranges of one byte that do not touch each other. */
const manyRanges = (count: number): string =>
  `bytes=${Array.from({ length: count }, (_, index) => `${index * 3}-${index * 3}`).join(",")}`

export const ranges: Operation = {
  name: "ranges",
  description: "requests for as many ranges as a header holds, over many connections",
  prepare: Effect.fnUntraced(function* (site) {
    const { connections, seconds } = site.sizes
    const id = yield* site.store(mebibyte)
    const url = site.url(site.attacker.files(`/${id}/view`))
    const get = Calls.call("GET", url, undefined, { range: manyRanges(1200) })
    const work = Calls.callFor(() => get, connections, seconds)
    return { work }
  })
}

export const views: Operation = {
  name: "views",
  description: "reads of one small file over many connections, as fast as the service answers",
  prepare: Effect.fnUntraced(function* (site) {
    const { connections, seconds } = site.sizes
    const id = yield* site.store(4096)
    const get = Calls.call("GET", site.url(site.attacker.files(`/${id}/view`)))
    const work = Calls.callFor(() => get, connections, seconds)
    return { work }
  })
}

export const unknownKeys: Operation = {
  name: "unknown-keys",
  description: "requests with keys that do not exist, over many connections",
  prepare: (site) =>
    Effect.sync(() => {
      const { connections, seconds } = site.sizes
      const url = site.url(`/api/v1/tenants/${site.attacker.tenantId}/buckets`)
      const key = () => `hf_${Buffer.from(crypto.getRandomValues(new Uint8Array(36))).toString("base64url")}x`
      return { work: Calls.callFor(() => Calls.call("GET", `${url}?apiKey=${key()}`), connections, seconds) }
    })
}
