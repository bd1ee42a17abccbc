import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Actor from "@holdfast/core/Actor"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as ApiRoutes from "../../src/handlers/ApiRoutes.ts"
import * as Core from "../../src/server/compose/Core.ts"
import * as Handler from "../../src/server/listener/Handler.ts"
import type { RequestListener } from "../../src/server/listener/Listener.ts"
import { directory } from "../support/Process.ts"

class Mounted extends Context.Service<Mounted, RequestListener>()("test/Mounted") {}

it("is a listener that a server of one's own mounts under a prefix", async () => {
  const ports = Layer.merge(
    SqliteMetadata.layer({ file: ":memory:" }),
    FsBlobStore.layer({ directory: await directory() })
  )
  const runtime = ManagedRuntime.make(
    Layer.effect(Mounted, Handler.make(ApiRoutes.layer)).pipe(
      Layer.provideMerge(Core.plain),
      Layer.provide([ports, NodeHttpServer.layerHttpServices]),
      Layer.provide(Layer.succeed(HttpRouter.RouterConfig, ApiRoutes.routerConfig))
    )
  )
  const listener = await runtime.runPromise(Mounted)
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
