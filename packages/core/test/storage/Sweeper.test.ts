import { expect, layer } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Fsck from "@holdfast/core/storage/Fsck"
import * as Sweeper from "@holdfast/core/storage/Sweeper"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const stores = Layer.merge(MemoryMetadata.layer, MemoryBlobStore.layer)

/** More blobs than one batch. */
const many = 2500

/** Makes doomed blobs with bytes. */
const doom = Effect.fnUntraced(function* (count: number, sweepAt = Sample.at()) {
  const [files, store] = [yield* FileRepository, yield* BlobStore]
  const bucket = yield* Fixtures.bucket()
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      const { content, id } = yield* Fixtures.store(bucket)
      const key = BlobKey.make({ ...bucket, blobId: content.blobId })
      yield* store.put(key, Stream.make(new Uint8Array(1)))
      yield* files.remove({ bucket, selector: Fixtures.byId(id), condition: {}, sweepAt })
      return key
    })
  )
})

const make = (store: BlobStore["Service"]) =>
  Effect.map(Layer.build(Layer.fresh(Sweeper.layer).pipe(Layer.provide(Layer.succeed(BlobStore, store)))), (context) =>
    Sweeper.Sweeper.pipe(Effect.provideContext(context), Effect.runSync)
  )

layer(stores, { excludeTestServices: true })("sweeper and consistency check", (it) => {
  it.effect("sweep: three nodes and two sweeps of one node at the same time → each blob is removed once", () =>
    Effect.gen(function* () {
      const store = yield* BlobStore
      const keys = yield* doom(many)
      const removed: Array<string> = []
      const counting = {
        ...store,
        remove: (key: string) => Effect.tap(store.remove(key), () => Effect.sync(() => void removed.push(key)))
      }
      const nodes = yield* Effect.forEach([1, 2, 3], () => make(counting))
      const sweeps = [...nodes, ...nodes.slice(0, 1)].map(({ sweep }) => sweep())
      const reports = yield* Effect.all(sweeps, { concurrency: "unbounded" })
      expect(reports.reduce((sum, report) => sum + report.removed, 0)).toBe(many)
      expect(removed.toSorted()).toEqual(keys.toSorted())
      expect(yield* (yield* BlobRepository).list({ limit: 1 })).toEqual([])
    })
  )

  it.effect(
    "sweep: requests doom two blobs for each one that is removed → it ends, the next sweep removes the rest",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof doom>>>()
        yield* doom(1)
        let rounds = 0
        /** Dooms a blob before all others in the order of the list, and one behind them. */
        const doomMore = Effect.suspend(() => {
          if (++rounds > 20) return Effect.void
          return Effect.andThen(doom(1, Sample.at(-rounds)), doom(1, Sample.at(rounds)))
        }).pipe(Effect.orDie, Effect.provideContext(context))
        const busy = { ...store, remove: (key: string) => Effect.andThen(store.remove(key), doomMore) }
        expect(yield* (yield* make(busy)).sweep()).toMatchObject({ removed: 3, failed: 0 })
        expect(yield* (yield* make(store)).sweep()).toMatchObject({ removed: 4, failed: 0 })
      })
  )

  it.effect("sweep: store fails for some blobs → counted, removed by the next sweep", () =>
    Effect.gen(function* () {
      const store = yield* BlobStore
      const keys = yield* doom(20)
      const broken = new Set(keys.slice(0, 5))
      const failing = {
        ...store,
        removeMany: (all: ReadonlyArray<string>) =>
          Effect.map(
            Effect.forEach(
              all.filter((key) => !broken.has(key)),
              (key) => Effect.as(Effect.orDie(store.remove(key)), key)
            ),
            (done) => new Set(done)
          )
      }
      const sweeper = yield* make(failing)
      expect(yield* sweeper.sweep()).toEqual({ expired: 0, removed: 15, failed: 5 })
      expect(yield* sweeper.sweep()).toEqual({ expired: 0, removed: 0, failed: 5 })
      broken.clear()
      expect(yield* sweeper.sweep()).toEqual({ expired: 0, removed: 5, failed: 0 })
    })
  )

  it.effect("check: 1,200 missing contents and 600 orphans → each is reported once and counted, none is kept", () =>
    Effect.gen(function* () {
      const store = yield* BlobStore
      const bucket = yield* Fixtures.bucket()
      yield* Effect.forEach(Array.from({ length: 1200 }), () => Fixtures.store(bucket))
      const orphans = yield* Effect.forEach(Array.from({ length: 600 }), () => {
        const key = BlobKey.make({ ...bucket, blobId: Sample.id("blb") })
        return Effect.as(store.put(key, Stream.make(new Uint8Array(1))), key)
      })
      const { check } = yield* Fsck.Fsck
      const findings: Array<Fsck.Finding> = []
      const onFinding = (finding: Fsck.Finding) => Effect.sync(() => void findings.push(finding))
      const counts = { rows: 1200, blobs: 600, findings: 1800, lost: 1200 }
      expect(yield* check({ onFinding })).toEqual({ ...counts, unrepaired: 1800 })
      expect(findings.filter(({ kind }) => kind === "Missing")).toHaveLength(1200)
      expect(findings.flatMap(({ key, kind }) => (kind === "Orphan" ? [key] : [])).toSorted()).toEqual(
        orphans.toSorted()
      )
      expect(yield* check({ repair: true })).toEqual({ ...counts, unrepaired: 1200 })
      expect(yield* check()).toEqual({ rows: 1200, blobs: 0, findings: 1200, lost: 1200, unrepaired: 1200 })
    }).pipe(Effect.provide(Fsck.layer))
  )

  it.effect("check: counters differ from the files → UsageDrift, repaired with repair", () =>
    Effect.gen(function* () {
      const usage = yield* UsageRepository
      const drift = {
        owner: "bucket",
        ownerId: "bkt_1",
        missing: yield* usage.ofBucket(yield* Fixtures.bucket())
      } as const
      const repairs: Array<boolean> = []
      const recount: (typeof usage)["recount"] = ({ owner, repair }) => {
        repairs.push(repair)
        return Effect.succeed({ drifts: owner === "bucket" ? [drift] : [], last: null })
      }
      const store = Layer.succeed(UsageRepository, { ...usage, recount })
      const findings: Array<Fsck.Finding> = []
      const { check } = yield* Effect.provide(Fsck.Fsck, Layer.fresh(Fsck.layer).pipe(Layer.provide(store)))
      const onFinding = (finding: Fsck.Finding) =>
        Effect.sync(() => void (finding.kind === "UsageDrift" && findings.push(finding)))
      yield* check({ onFinding })
      yield* check({ repair: true, onFinding })
      const found = { kind: "UsageDrift", key: "bkt_1", fileId: null }
      expect(findings).toEqual([
        { ...found, isRepaired: false },
        { ...found, isRepaired: true }
      ])
      expect(repairs).toEqual([false, false, true, true])
    })
  )
})
