import { expect } from "@effect/vitest"
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import * as Ids from "@holdfast/core/Ids"
import * as Effect from "effect/Effect"
import type { It } from "./It.ts"

export const deploymentContract = (it: It): void => {
  it.effect("check: database answers and accepts changes → success", () =>
    Effect.gen(function* () {
      const { check } = yield* DeploymentRepository
      expect(yield* check).toBeUndefined()
    })
  )

  it.effect("store id: claimed by several processes at the same time → one is recorded, and all get it", () =>
    Effect.gen(function* () {
      const { claimStoreId, findStoreId } = yield* DeploymentRepository
      expect(yield* findStoreId).toBeUndefined()
      const ids = Array.from({ length: 20 }, (_, index) => Ids.firstAt("blb", index + 1))
      const recorded = yield* Effect.forEach(ids, claimStoreId, { concurrency: "unbounded" })
      expect(new Set(recorded).size).toBe(1)
      expect(ids).toContain(recorded[0])
      expect(yield* findStoreId).toBe(recorded[0])
    })
  )

  it.effect("store id: replaced → the new one is recorded", () =>
    Effect.gen(function* () {
      const { claimStoreId, findStoreId, replaceStoreId } = yield* DeploymentRepository
      const [former, next] = [Ids.firstAt("blb", 100), Ids.firstAt("blb", 101)]
      yield* replaceStoreId(former)
      yield* replaceStoreId(next)
      expect(yield* findStoreId).toBe(next)
      expect(yield* claimStoreId(former)).toBe(next)
    })
  )
}
