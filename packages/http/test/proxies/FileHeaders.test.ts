/**
 * Headers of files that proxies act upon, behind real proxies.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as Proxies from "./support/Proxies.ts"
import * as StoredHeaders from "./support/StoredHeaders.ts"

let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await TestServer.start()
  bucket = await server.makeBucket()
})
afterAll(() => server.close())

const fileWith = async (name: string, value: string, ...others: ReadonlyArray<readonly [string, string]>) => {
  const file = await server.makeFile(bucket, "own content")
  const headers = [[name, value] as const, ...others].map(([name, value]) => ({ name, value }))
  const [status] = await StoredHeaders.set(server, bucket, file, headers)
  return { path: `/api/v1${file.path}`, status }
}

const read = (url: string, key: string | null = server.rootKey) =>
  fetch(url, key === null ? undefined : { headers: { "x-api-key": key } })

Requires.requires(Proxies.nginxMissing).describe("headers of a file behind nginx", () => {
  it("X-Accel-Redirect to a private location → refused with 400; stored → the file's own content", async () => {
    const nginx = await Proxies.startNginx(server.url, {
      locations: "location /private/ { internal; root .; }"
    })
    await Fs.mkdir(Path.join(nginx.directory, "private"))
    await Fs.writeFile(Path.join(nginx.directory, "private", "secret.txt"), "secret of the proxy")
    const { path, status } = await fileWith("X-Accel-Redirect", "/private/secret.txt")
    for (const way of ["view", "download"]) {
      const answer = await read(`${nginx.url}${path}/${way}`)
      expect([answer.status, await answer.text()]).toEqual([200, "own content"])
    }
    expect(status).toBe(400)
  })
})

Requires.requires(Proxies.varnishMissing).describe("headers of a file behind Varnish", () => {
  it("Surrogate-Control, which replaces Cache-Control there → 400; stored → not cached for others", async () => {
    const varnish = await Proxies.startVarnish(server.url)
    const { path, status } = await fileWith("Surrogate-Control", "max-age=600")
    for (const key of [server.rootKey, null, server.rootKey]) {
      const answer = await read(`${varnish.url}${path}/view`, key)
      await answer.text()
      expect(answer.status).toBe(key === null ? 401 : 200)
    }
    expect(status).toBe(400)
  })
})
