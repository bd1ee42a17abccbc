import { expect } from "@effect/vitest"
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import * as Effect from "effect/Effect"
import type { It } from "./It.ts"

export const deploymentContract = (it: It): void => {
  it.effect("check: database answers and accepts changes → success", () =>
    Effect.gen(function* () {
      const { check } = yield* DeploymentRepository
      expect(yield* check).toBeUndefined()
    })
  )
}
