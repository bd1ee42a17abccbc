/**
 * Lists of files: filters that match nothing, large pages, and folders among many tenants.
 */
import * as Effect from "effect/Effect"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"
import type { Site } from "../Site.ts"

const filesUrl = ({ attacker, url }: Site, bucketId: string, query: string): string =>
  url(attacker.path(`buckets/${bucketId}/files`, query))

/** Lists that match nothing; `path=/flat/` holds half of the files. */
const filters = [
  "type=VIDEO",
  "state=RESERVED",
  "recursive=true&type=VIDEO",
  "recursive=true&state=RESERVED",
  "recursive=true&name=zzz",
  "path=/flat/&type=VIDEO",
  "path=/flat/&state=RESERVED"
]

export const listFilters: Operation = {
  name: "list-filters",
  description: "lists by type, state and name that match none of the files, over four connections",
  prepare: Effect.fnUntraced(function* (site) {
    const bucketId = yield* site.largeBucket
    const calls = Array.from({ length: site.sizes.repetitions }, () =>
      filters.map((query) => Calls.call("GET", filesUrl(site, bucketId, query)))
    )
    const work = Calls.callAll(calls.flat(), 4)
    return { work }
  })
}

export const listPages: Operation = {
  name: "list-pages",
  description: "pages of 1,000 files over many connections",
  prepare: Effect.fnUntraced(function* (site) {
    const { connections, seconds } = site.sizes
    const bucketId = yield* site.largeBucket
    const get = Calls.call("GET", filesUrl(site, bucketId, "limit=1000&path=/flat/"))
    const work = Calls.callFor(() => get, connections, seconds)
    return { work }
  })
}

export const folders: Operation = {
  name: "folders",
  description: "pages of folders in a bucket among those of many tenants",
  prepare: Effect.fnUntraced(function* (site) {
    const { connections, filesPerTenant: files, seconds, tenants } = site.sizes
    const others = yield* Effect.all(Array.from({ length: tenants }, () => site.createTenancy))
    yield* site.seed(others.map(({ bucketId, tenantId }) => ({ tenantId, bucketId, files })))
    const bucketId = yield* site.largeBucket
    const get = Calls.call("GET", filesUrl(site, bucketId, "path=/tree/"))
    const work = Calls.callFor(() => get, Math.min(connections, 8), seconds)
    return { work }
  })
}
