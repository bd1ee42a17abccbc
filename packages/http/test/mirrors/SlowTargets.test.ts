/**
 * Tests of mirrors to endpoints that hold a request for as long as they can.
 */
import * as SlowServer from "@holdfast/testing/servers/SlowServer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { expect, it, onTestFinished } from "vitest"
import { expectProblem } from "../support/Problems.ts"
import * as MirrorRequests from "./MirrorRequests.ts"
import * as MirrorInputs from "./MirrorInputs.ts"

/** Opens a server that sends one header line after the other, until the test ends. Returns its URL. */
const openSlowServer = async (): Promise<string> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const opened = SlowServer.open("sends one header line after the other")
  return `http://${await Effect.runPromise(Scope.provide(opened, scope))}`
}

it(
  "create: endpoint sends one header line after the other → 422 Unavailable, other requests not delayed",
  { timeout: 120_000 },
  async () => {
    const source = await MirrorRequests.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
    const endpoint = await openSlowServer()
    const begun = performance.now()
    const creating = MirrorInputs.forEndpoint(endpoint).map(async (json) => {
      const answer = await source.api.post(source.mirrors, { json })
      const { detail, reason } = await expectProblem(answer, 422, "mirror_target_unreachable")
      return { reason, detail }
    })
    expect((await source.api.get(source.files)).status).toBe(200)
    for (const { detail, reason } of await Promise.all(creating)) {
      expect(reason).toBe("Unavailable")
      expect(detail).toContain("The target did not complete the check within 30 seconds.")
    }
    // The check has 30 seconds. Without its deadline, three attempts would take 90.
    expect(performance.now() - begun).toBeLessThan(60_000)
  }
)
