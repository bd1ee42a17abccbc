/**
 * The contract of `UsageRepository.recount` after all other tests of the suite.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { It } from "../../internal/It.ts"
import * as UsageDrift from "../UsageDrift.ts"

export const recountContract = (it: It): void => {
  it.effect("recount: after the changes of the whole suite → no counter differs", () =>
    Effect.gen(function* () {
      expect(yield* UsageDrift.recountAll(false)).toEqual([])
    })
  )
}
