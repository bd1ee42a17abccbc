/**
 * The logs of nginx with the documented configuration.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as RawHttp from "../support/RawHttp.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Proxies from "./support/Proxies.ts"

Requires.requires(Proxies.nginxMissing).describe("logs of nginx", () => {
  it("keys in queries, paths and headers, service running and stopped → paths and statuses logged, no key", async () => {
    const server = await TestServer.start()
    const nginx = await Proxies.startNginx(server.url)
    const file = await server.makeFile(await server.makeBucket(), "content")
    const key = server.rootKey
    const share = `hfs_${key.slice(3, 46)}`
    const view = `/api/v1${file.path}/view`
    const get = (path: string, headers = "") =>
      RawHttp.sendRaw(nginx.url, `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`)
    const paths = [
      `${view}?apiKey=${key}`,
      `${view};apiKey=${key}`,
      `${view}?x=1&apiKey=${key}#apiKey=${key}`,
      `/api/v1/${key}`,
      `/s/${share}`,
      `/api/v1/%68f_${key.slice(3)}`,
      `/${key}?apiKey=${key}`,
      `/%2e%2e/api/v1/${key}`,
      `/api/v1/me?apiKey=${key}&apiKey=%00%zz`
    ]
    const referer = `Referer: http://a/?apiKey=${key}\r\nUser-Agent: ${key}\r\nX-Request-Id: ${key}\r\n`
    expect(await get(paths[0] ?? "")).toMatch(/^HTTP\/1\.1 200 /)
    expect(await get("/metrics")).toMatch(/^HTTP\/1\.1 404 /)
    expect(await get("/s/shr_1")).toMatch(/^HTTP\/1\.1 200 /)
    for (const path of paths) await get(path, referer)
    await server.close()
    for (const path of paths) await get(path, referer)
    expect(await get(paths[0] ?? "")).toMatch(/^HTTP\/1\.1 502 /)

    const names = (await Fs.readdir(nginx.directory)).filter((name) => name.endsWith(".log"))
    expect(names.toSorted()).toEqual(["holdfast-error.log", "holdfast.log"])
    const read = (name: string) => Fs.readFile(Path.join(nginx.directory, name), "utf8")
    const [errors, log] = await Promise.all(names.toSorted().map(read))
    for (const text of [errors, log]) {
      expect(text).not.toContain(key.slice(3, 20))
      expect(text).not.toContain("apiKey=")
    }
    expect(log).toContain(`GET "${view}" 200 `)
    expect(log).toContain(`GET "${view}" 502 `)
    expect(log).toContain('GET "(a key)" 404 ')
    expect(log).toMatch(/ 200 \d+ [\d.]+ 200 req_\w+$/m)
  })
})
