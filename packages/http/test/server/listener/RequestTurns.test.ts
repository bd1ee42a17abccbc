import { assert, describe, it } from "@effect/vitest"
import { setImmediate as turn } from "node:timers/promises"
import * as RequestTurns from "../../../src/server/listener/RequestTurns.ts"

/** Returns a function that passes a request of this duration through the turns, and the order in which requests started. */
const make = () => {
  let time = 0
  const turns = RequestTurns.make(() => time)
  const started: Array<string> = []
  const request = (owner: string, milliseconds: number): void => {
    const start = () => {
      started.push(owner)
      time += milliseconds
    }
    if (turns.mayStart(time)) start()
    else turns.enqueue(owner, start)
  }
  return { request, started }
}

describe("RequestTurns", () => {
  it("requests within the budget of a turn → all start at once", () => {
    const { request, started } = make()
    for (let i = 0; i < 40; i++) request("a", 0.1)
    assert.lengthOf(started, 40)
  })

  it("100 requests of one tenant, then one of another → it starts in the next turn", async () => {
    const { request, started } = make()
    for (let i = 0; i < 100; i++) request("a", 2)
    request("b", 0.1)
    assert.deepStrictEqual(started, ["a", "a", "a"])
    await turn()
    assert.include(started, "b")
    assert.isBelow(started.length, 10)
  })

  it("requests of three tenants are queued → they start in rotation; later ones wait behind them", async () => {
    const { request, started } = make()
    request("x", 10)
    for (const owner of ["a", "a", "a", "b", "b", "c"]) request(owner, 1)
    await turn()
    assert.deepStrictEqual(started, ["x", "a", "b", "c", "a", "b"])
    request("d", 1)
    await turn()
    assert.deepStrictEqual(started.slice(6), ["a", "d"])
    request("e", 1)
    assert.strictEqual(started.at(-1), "e")
  })

  it("owner → the tenant of the path, otherwise the client", () => {
    assert.strictEqual(RequestTurns.ownerOf("/api/v1/tenants/ten_1/buckets?x=/tenants/ten_2", "::1"), "ten_1")
    assert.strictEqual(RequestTurns.ownerOf("/api/v1/me", "::1"), "::1")
    assert.strictEqual(RequestTurns.ownerOf("/api/v1/tenants/", undefined), "")
  })
})
