/**
 * An upload holds no database connection while its bytes arrive: twenty slow uploads work with a pool of one
 * connection.
 */
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import * as Requires from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, assert, beforeAll, expect, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

Requires.requires(Postgres.missing).describe("database pool of one connection", () => {
  const postgres = ManagedRuntime.make(Postgres.layer({ locale: "C.UTF-8" }))
  let server: TestServer.TestServer
  beforeAll(async () => {
    const url = await postgres.runPromise(Effect.flatMap(Postgres.Postgres, ({ createDatabase }) => createDatabase))
    server = await TestServer.start({ metadata: PostgresMetadata.layer({ url, maxConnections: 1 }) })
  }, 60_000)
  afterAll(async () => {
    await server.close()
    await postgres.dispose()
  })

  it("twenty slow uploads at once → all succeed, and other requests are answered meanwhile", async () => {
    const bucket = await server.makeBucket()
    const { path } = await server.makeFile(bucket, "there")
    const targets = await Promise.all(Array.from({ length: 20 }, (_, index) => server.makeFile(bucket, `old ${index}`)))
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let begun = 0
    const uploads = targets.map((target, index) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(70_000).fill(index)),
        pull: async (controller) => {
          begun++
          await released
          controller.enqueue(new Uint8Array(10).fill(index))
          controller.close()
        }
      })
      return server.post(`${target.path}/reupload`, { body })
    })
    // All uploads have begun, none can end, and the connection is free.
    await expect.poll(() => begun).toBe(20)
    assert.strictEqual(await (await server.get(`${path}/view`)).text(), "there")
    const deleted = await server.delete(path)
    assert.strictEqual(deleted.status, 204)
    release()
    for (const response of await Promise.all(uploads)) assert.strictEqual(response.status, 200)
  })
})
