import { expect, layer, vi } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import type { Metadata } from "@holdfast/core/Holdfast"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import { within } from "@holdfast/core/usage/UsageLimits"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as UsageDrift from "@holdfast/testing/metadata/usage/UsageDrift"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as PostgresMetadata from "../src/PostgresMetadata.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const nodeCount = 3
const uploads = 64

/** Reserves the bytes of an upload and commits it, as a node does. */
const upload = Effect.fnUntraced(function* (bucket: BucketRef, size: number) {
  const blobId = yield* Fixtures.stage(bucket)
  yield* (yield* BlobRepository).reserve({ bucket, blobId, bytes: size })
  const content = { ...Sample.content(blobId), size }
  yield* (yield* FileRepository).insert(bucket, Sample.file({ version: 1, content }))
})

requires(Server.missing).describe("usage on three nodes", () =>
  layer(Server.layer({ locale: "C.UTF-8" }), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    const startNodes = Effect.gen(function* () {
      const { createDatabase } = yield* Server.Postgres
      const store = PostgresMetadata.layer({ url: yield* createDatabase, maxConnections: 6 })
      return yield* Effect.forEach(Array.from({ length: nodeCount }), () => Layer.build(Layer.fresh(store)))
    })

    const on = (nodes: ReadonlyArray<Context.Context<Metadata>>, index: number) => {
      const node = nodes[index % nodes.length]
      if (node === undefined) throw new Error("no node")
      return <A, E>(self: Effect.Effect<A, E, Metadata>) => Effect.provideContext(self, node)
    }

    for (const owner of ["tenant", "bucket"] as const) {
      it.effect(
        `${uploads} parallel uploads for 20 places of the ${owner} → 20 accepted, sum exact, others refused`,
        () =>
          Effect.gen(function* () {
            const nodes = yield* startNodes
            const bucket = yield* on(nodes, 0)(Fixtures.bucket())
            const none = { files: null, bytes: null }
            const limits = { tenant: none, bucket: none, [owner]: { files: null, bytes: 20 * 7 + 6 } }
            const results = yield* Fixtures.concurrently(uploads, (index) =>
              on(nodes, index)(within(limits)(upload(bucket, 7)))
            )
            const refused = results.filter(Result.isFailure).map(({ failure }) => failure)
            expect(refused).toHaveLength(uploads - 20)
            for (const error of refused) expect(error).toMatchObject({ _tag: "QuotaExceeded", quota: { owner } })
            const usage = yield* on(nodes, 1)(Effect.flatMap(UsageRepository, (port) => port.ofTenant(bucket.tenantId)))
            expect(usage).toEqual({ files: 20, contentBytes: 140, streamBytes: 0, reservedBytes: 0 })
            yield* on(nodes, 2)(within(limits)(upload(bucket, 6)))
            expect(yield* on(nodes, 0)(UsageDrift.recountAll(false))).toEqual([])
          })
      )
    }

    it.effect("1,000 random changes on three nodes → a recount finds no difference", () =>
      Effect.gen(function* () {
        const nodes = yield* startNodes
        const bucket = yield* on(nodes, 0)(Fixtures.bucket())
        const change = Effect.fnUntraced(function* (index: number) {
          const files = yield* FileRepository
          const stored = yield* Fixtures.store(bucket)
          const content = { ...Sample.content(yield* Fixtures.stage(bucket)), size: index }
          const selector = Fixtures.byId(stored.id)
          const sweepAt = Sample.at(90_000)
          if (index % 3 > 0) yield* files.replaceContent({ bucket, fileId: stored.id, content, condition: {}, sweepAt })
          if (index % 3 > 1) yield* files.remove({ bucket, selector, condition: {}, sweepAt })
        })
        yield* Effect.forEach(Array.from({ length: 1000 }).keys(), (index) => on(nodes, index)(change(index)), {
          concurrency: 24,
          discard: true
        })
        expect(yield* on(nodes, 0)(UsageDrift.recountAll(false))).toEqual([])
        const usage = yield* on(nodes, 0)(Effect.flatMap(UsageRepository, (port) => port.ofBucket(bucket)))
        expect(usage.files).toBe(667)
      })
    )
  })
)
