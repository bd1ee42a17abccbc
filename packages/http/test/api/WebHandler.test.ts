import * as ApiKey from "@holdfast/core/access/ApiKey"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import * as Actor from "@holdfast/core/Actor"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as SecretBox from "@holdfast/core/secrets/SecretBox"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ApiRoutes from "../../src/handlers/ApiRoutes.ts"
import * as NodeDigest from "../../src/server/compose/NodeDigest.ts"
import { expectProblem, json } from "../support/Problems.ts"

/** The same routes as a function from web `Request` to web `Response`, without Node's server. */
const serve = (directory: string, own: ApiKey.HashedKey) => {
  const services = Holdfast.layer.pipe(
    Layer.provideMerge([
      SqliteMetadata.layer({ file: ":memory:" }),
      FsBlobStore.layer({ directory }),
      Transcoder.layerNone,
      MirrorTarget.layerNone,
      SecretBox.layerNone,
      SecureRandom.layerWebCrypto,
      NodeDigest.layer
    ])
  )
  const rootKey = Layer.effectDiscard(
    Effect.flatMap(Accounts, (accounts) =>
      accounts.createKey(Actor.system, { email: "root@example.com", name: "root" }, own)
    )
  )
  return HttpRouter.toWebHandler(
    Layer.merge(ApiRoutes.layer, rootKey).pipe(Layer.provide([services, HttpServer.layerServices]), Layer.orDie),
    { disableLogger: true, routerConfig: ApiRoutes.routerConfig }
  )
}

describe("API as a web handler", () => {
  let directory: string
  let web: ReturnType<typeof serve>
  let ask: (method: string, path: string, init?: RequestInit) => Promise<Response>
  beforeAll(async () => {
    directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-web-"))
    const own = await Effect.runPromise(
      ApiKey.mint.pipe(Effect.provide([SecureRandom.layerWebCrypto, NodeDigest.layer]))
    )
    web = serve(directory, own)
    ask = (method, path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set("authorization", `Bearer ${Redacted.value(own.key)}`)
      if (typeof init.body === "string") headers.set("content-type", "application/json")
      return web.handler(new Request(`http://host/api/v1${path}`, { ...init, method, headers }))
    }
  })
  afterAll(async () => {
    await web.dispose()
    await Fs.rm(directory, { recursive: true, force: true })
  })

  it("create, upload, read, reupload, errors → as over Node's server", async () => {
    const made = async (path: string, body: object) =>
      (await json<{ id: string }>(await ask("POST", path, { body: JSON.stringify(body) }))).id
    const tenant = await made("/tenants", { name: "Acme", subdomain: "web" })
    const bucket = await made(`/tenants/${tenant}/buckets`, { name: "b" })
    const files = `/tenants/${tenant}/buckets/${bucket}/files`

    const form = new FormData()
    form.append("file", new Blob(["Hello"]), "a.txt")
    const uploaded = await ask("POST", `${files}/upload`, { body: form })
    const { id } = await json<{ id: string }>(uploaded)
    expect([uploaded.status, uploaded.headers.get("location")]).toEqual([201, `/api/v1${files}/${id}`])

    const part = await ask("GET", `${files}/${id}/view`, { headers: { range: "bytes=1-2" } })
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 1-2/5", "el"])
    expect(part.headers.get("x-request-id")).toMatch(/^req_/)

    const body = new Blob(["World"])
    expect((await ask("POST", `${files}/${id}/reupload`, { body })).status).toBe(200)
    expect(await (await ask("GET", `${files}/${id}/download`)).text()).toBe("World")
    const head = await ask("HEAD", `${files}/${id}/view`)
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "5", ""])

    await expectProblem(await ask("GET", `${files}/@none/view`), 404, "not_found")
    await expectProblem(await ask("PUT", files), 405, "method_not_allowed")
  })
})
