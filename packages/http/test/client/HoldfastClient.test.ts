import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { HoldfastClient } from "../../src/client/index.ts"
import * as Support from "./support.ts"

it("HoldfastClient: reserve twice → record with Location, then a file_exists error with the existing id", async () => {
  const { key, ref, url } = await Support.setUp()
  const program = Effect.gen(function* () {
    const client = yield* HoldfastClient.HoldfastClient
    const { body: file, headers } = yield* client.files.reserve({ params: ref, payload: { name: "a" } })
    expect(headers.location).toBe(
      new URL(`${url}/api/v1/tenants/${ref.tenantId}/buckets/${ref.bucketId}/files/${file.id}`).pathname
    )
    expect(file.createdAt.epochMilliseconds).toBeGreaterThan(0)
    return yield* client.files
      .reserve({ params: ref, payload: { name: "a" } })
      .pipe(Effect.catchTag("file_exists", ({ existingId }) => Effect.succeed(existingId === file.id)))
  })
  const layer = HoldfastClient.layer({ url, apiKey: key }).pipe(Layer.provide(FetchHttpClient.layer))
  expect(await Effect.runPromise(Effect.provide(program, layer))).toBe(true)
})
