import { assert, describe, it } from "@effect/vitest"
import { setImmediate as turn } from "node:timers/promises"
import * as RequestTurns from "../../../src/incoming/RequestTurns.ts"

/** Returns a function that passes a request of this duration through the turns, and the order in which requests started. */
const make = () => {
  let time = 0
  const work = (milliseconds: number) => void (time += milliseconds)
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
  return { request, started, work }
}

describe("RequestTurns", () => {
  it("requests within the budget of a turn → all start at once", () => {
    const { request, started } = make()
    for (let i = 0; i < 20; i++) request("a", 0.1)
    assert.lengthOf(started, 20)
  })

  it("100 requests of one tenant, then one of another → it starts in the next turn", async () => {
    const { request, started } = make()
    for (let i = 0; i < 100; i++) request("a", 0.5)
    request("b", 0.1)
    assert.deepStrictEqual(started, ["a", "a", "a", "a"])
    await turn()
    assert.include(started, "b")
    assert.isBelow(started.length, 10)
  })

  it("requests of three tenants are queued → they start in rotation; later ones wait behind them", async () => {
    const { request, started } = make()
    request("x", 2)
    for (const owner of ["a", "a", "a", "b", "b", "c"]) request(owner, 0.6)
    await turn()
    assert.deepStrictEqual(started, ["x", "a", "b", "c"])
    await turn()
    assert.deepStrictEqual(started.slice(4), ["a", "b", "a"])
    request("d", 1)
    assert.strictEqual(started.at(-1), "d")
  })

  it("requests of a longer time than the budget → one starts in each turn, and the owners take turns", async () => {
    const { request, started } = make()
    for (const owner of ["a", "a", "a", "b"]) request(owner, 3)
    assert.deepStrictEqual(started, ["a"])
    await turn()
    assert.deepStrictEqual(started, ["a", "a"])
    await turn()
    assert.deepStrictEqual(started, ["a", "a", "b"])
  })

  it("results of earlier requests take the budget of a turn → one request of each tenant starts", async () => {
    const { request, started, work } = make()
    for (let i = 0; i < 100; i++) request("a", 0.125)
    request("b", 0.125)
    const atOnce = started.length
    work(2)
    await turn()
    assert.deepStrictEqual(started.slice(atOnce), ["a", "b"])
    work(1)
    await turn()
    assert.lengthOf(started, atOnce + 2 + 8)
  })

  it("owner → the tenant of the path, otherwise the client", () => {
    assert.strictEqual(RequestTurns.ownerOf("/api/v1/tenants/ten_1/buckets?x=/tenants/ten_2", "::1"), "ten_1")
    assert.strictEqual(RequestTurns.ownerOf("/api/v1/me", "::1"), "::1")
    assert.strictEqual(RequestTurns.ownerOf("/api/v1/tenants/", undefined), "")
  })
})
