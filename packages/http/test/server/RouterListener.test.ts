import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Actor from "@holdfast/core/Actor"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as SecretBox from "@holdfast/core/secrets/SecretBox"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { createServer, type RequestListener } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as ApiRoutes from "../../src/handlers/ApiRoutes.ts"
import * as CoreLayer from "../../src/server/compose/CoreLayer.ts"
import * as RouterListener from "../../src/server/listener/RouterListener.ts"
import { makeDirectory } from "../support/Process.ts"

class Listener extends Context.Service<Listener, RequestListener>()("test/Listener") {}

it("RouterListener: mounted under a prefix in another server → answers the API below it, and problems", async () => {
  const ports = Layer.merge(
    SqliteMetadata.layer({ file: ":memory:" }),
    FsBlobStore.layer({ directory: await makeDirectory() })
  )
  const runtime = ManagedRuntime.make(
    Layer.effect(Listener, RouterListener.make(ApiRoutes.layer)).pipe(
      Layer.provideMerge(Holdfast.layer),
      Layer.provideMerge(CoreLayer.layerCrypto),
      Layer.provide([ports, Transcoder.layerNone, MirrorTarget.layerNone, SecretBox.layerNone]),
      Layer.provide(NodeHttpServer.layerHttpServices),
      Layer.provide(Layer.succeed(HttpRouter.RouterConfig, ApiRoutes.routerConfig))
    )
  )
  const listener = await runtime.runPromise(Listener)
  const server = createServer((request, response) => {
    const { url = "" } = request
    if (!url.startsWith("/storage/")) return void response.end("the host's own page")
    request.url = url.slice("/storage".length)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    server.close()
    await runtime.dispose()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  const url = `http://127.0.0.1:${address.port}`

  const key = await runtime.runPromise(
    Effect.flatMap(Accounts, ({ createKey }) => createKey(Actor.system, { email: "a@example.com", name: "test" }))
  )
  const me = await fetch(`${url}/storage/api/v1/me`, { headers: { "x-api-key": Redacted.value(key.key) } })
  expect(await me.json()).toMatchObject({ user: { email: "a@example.com" } })
  const denied = await fetch(`${url}/storage/api/v1/me`)
  expect(denied.status).toBe(401)
  expect(denied.headers.get("content-type")).toBe("application/problem+json")
  expect(await (await fetch(url)).text()).toBe("the host's own page")
})
