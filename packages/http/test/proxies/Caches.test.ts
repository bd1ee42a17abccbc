/**
 * Contents behind caching proxies: a client without a key never gets the answer to a client with one.
 */
import * as Requires from "@holdfast/testing/Requires"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as Proxies from "./support/Proxies.ts"

let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await TestServer.start()
  bucket = await server.makeBucket()
})
afterAll(() => server.close())

type Headers = Readonly<Record<string, string>>

/** The ways in which a client presents its key: headers and a query. */
const presentations = (key: string): ReadonlyArray<readonly [headers: Headers, query: string]> => [
  [{ "x-api-key": key }, ""],
  [{ authorization: `Bearer ${key}` }, ""],
  [{}, `?apiKey=${key}`]
]

/** Headers of a file that could permit a shared cache to store it. */
const cacheable: ReadonlyArray<Headers> = [
  { "cache-control": "public, max-age=600" },
  { "cache-control": "max-age=600" },
  { "cache-control": "s-maxage=600, max-age=0" },
  { "cache-control": 'private="x-a", max-age=600' },
  { "cache-control": 'x="no-cache, private", public, max-age=600' },
  { expires: new Date(Date.now() + 600_000).toUTCString() }
]

/** A cache whose keys are paths without queries. nginx caches nothing unless it buffers. */
const nginxCache = (directory: string) => `proxy_cache_path ${directory} keys_zone=contents:1m;`
const cached =
  "proxy_buffering on; proxy_cache contents; proxy_cache_key $uri; add_header x-status $upstream_cache_status always;"

const makeView = async (headers: Headers): Promise<string> => {
  const own = Object.entries(headers).map(([name, value]) => ({ name, value }))
  return `/api/v1${(await server.makeFile(bucket, "secret", { headers: own })).path}/view`
}

const read = async (url: string, headers: Headers = {}) => {
  const answer = await fetch(url, { headers })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

const expectRefused = async (proxy: Proxies.Proxy): Promise<void> => {
  for (const own of cacheable) {
    for (const [headers, query] of presentations(server.rootKey)) {
      const view = proxy.url + (await makeView(own))
      const known = await read(view + query, headers)
      expect([known.status, known.text]).toEqual([200, "secret"])
      expect((await read(view)).status, JSON.stringify(own)).toBe(401)
    }
  }
}

Requires.requires(Proxies.nginxMissing).describe("contents behind nginx with a cache", () => {
  it("file's own caching headers, second client without a key → 401", async () => {
    await expectRefused(await Proxies.startNginx(server.url, { http: nginxCache("cache"), settings: cached }))
  })

  it("cache ignores Cache-Control → one answer per key by Vary; without a key → 401", async () => {
    const settings = `${cached} proxy_ignore_headers Cache-Control Expires; proxy_cache_valid 200 10m;`
    const nginx = await Proxies.startNginx(server.url, { http: nginxCache("cache"), settings })
    const other = await server.makeToken(bucket.tenantId, "File Reader")
    for (const toHeaders of [
      (key: string): Headers => ({ "x-api-key": key }),
      (key: string): Headers => ({ authorization: `Bearer ${key}` })
    ]) {
      const view = nginx.url + (await makeView({}))
      const statusOf = async (headers: Headers) => {
        const answer = await read(view, headers)
        return [answer.status, answer.headers.get("x-status")]
      }
      expect(await statusOf(toHeaders(server.rootKey))).toEqual([200, "MISS"])
      expect(await statusOf(toHeaders(server.rootKey))).toEqual([200, "HIT"])
      expect(await statusOf({})).toEqual([401, "MISS"])
      expect(await statusOf(toHeaders(other))).toEqual([200, "MISS"])
    }
  })
})

Requires.requires(Proxies.varnishMissing).describe("contents behind Varnish", () => {
  it("file's own caching headers, second client without a key → 401", async () => {
    await expectRefused(await Proxies.startVarnish(server.url))
  })
})
