import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { freePort } from "../../src/servers/FreePort.ts"

it.effect("freePort: many ports → none that the kernel gives to outgoing connections", () =>
  Effect.gen(function* () {
    const ports = yield* Effect.replicateEffect(freePort, 500)
    assert.isTrue(ports.every((port) => port >= 10_240 && port < 32_768))
    assert.isAbove(new Set(ports).size, 400)
  })
)
