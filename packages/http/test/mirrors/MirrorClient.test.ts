/**
 * Tests of the clients' methods for mirrors, against a running service.
 */
import { createClient, HoldfastClient } from "@holdfast/http/client"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import * as MirrorRequests from "./MirrorRequests.ts"

it(
  "client.mirrors: create, list, files, update, sync, remove → the records of the API",
  { timeout: 120_000 },
  async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    const client = createClient({ url: source.service.url, apiKey: source.key })
    const ref = { tenantId: source.tenantId, bucketId: source.bucketId }
    await client.files.upload({ ...ref, name: "a.txt", content: "Hello" })
    const { id, ...made } = await client.mirrors.create({
      ...ref,
      name: "copies",
      type: "SERVICE",
      serviceTenantId: target.tenantId,
      serviceBucketId: target.bucketId,
      apiKey: target.apiKey
    })
    expect(made).toMatchObject({ type: "SERVICE", serviceBucketId: target.bucketId, bucketId: source.bucketId })
    const mirror = { ...ref, mirrorId: id }
    await MirrorRequests.untilCopied(source, id)
    expect((await client.mirrors.files({ ...mirror, state: "COPIED" })).items).toMatchObject([{ name: "a.txt" }])
    expect((await client.mirrors.list({ ...ref, limit: 1 })).items.map((one) => one.id)).toEqual([id])
    expect((await client.mirrors.update({ ...mirror, name: "paused", paused: true })).state).toBe("PAUSED")
    expect((await client.mirrors.sync(mirror)).name).toBe("paused")
    await client.mirrors.remove(mirror)
    await expect(client.mirrors.get(mirror)).rejects.toMatchObject({ code: "not_found", status: 404 })
    await expect(
      client.mirrors.create({
        ...ref,
        name: "x",
        type: "S3",
        region: "r",
        bucketName: "b",
        accessKeyId: "",
        secretAccessKey: ""
      })
    ).rejects.toMatchObject({
      code: "invalid_request",
      errors: [{ pointer: "/accessKeyId" }, { pointer: "/secretAccessKey" }]
    })
  }
)

it("HoldfastClient: create with a Redacted secret → created; wrong secret → 422", { timeout: 60_000 }, async () => {
  const source = await MirrorRequests.start()
  const target = await MirrorRequests.createTarget(source.api, "target")
  const params = { tenantId: source.tenantId, bucketId: source.bucketId }
  const program = Effect.gen(function* () {
    const { mirrors } = yield* HoldfastClient.HoldfastClient
    const payload = {
      name: "copies",
      type: "SERVICE",
      serviceTenantId: target.tenantId,
      serviceBucketId: target.bucketId,
      apiKey: Redacted.make(target.apiKey)
    } as const
    const { body, headers } = yield* mirrors.create({ params, query: {}, payload })
    expect(headers.location).toContain(body.id)
    const wrong = { ...payload, apiKey: Redacted.make("hunter2") }
    return yield* mirrors
      .create({ params, query: {}, payload: wrong })
      .pipe(Effect.catchTag("mirror_target_unreachable", ({ status }) => Effect.succeed(status)))
  })
  const layer = HoldfastClient.layer({ url: source.service.url, apiKey: source.key }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )
  expect(await Effect.runPromise(Effect.provide(program, layer))).toBe(422)
})
