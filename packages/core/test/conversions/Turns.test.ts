import { assert, describe, it } from "@effect/vitest"
import * as Turns from "../../src/conversions/worker/internal/Turns.ts"

/** A queued or running conversion, in a simulation of a worker. */
interface Job extends Turns.Run {
  readonly name: string
  /** Milliseconds of work that are left. */
  left: number
}

interface Request {
  readonly tenantId: string
  readonly at: number
  readonly work: number
  readonly isLadder?: boolean
}

const options: Turns.Options = { slots: 1, slice: 20, maxSuspended: 2 }

/** Simulates a worker with these requests, named `<tenant><number>`. Returns when each began and ended. */
const simulate = (requests: ReadonlyArray<Request>, own: Partial<Turns.Options> = {}) => {
  const turns = Turns.make<Job>({ ...options, ...own })
  const running = new Set<Job>()
  const began: Record<string, number> = {}
  const ended: Record<string, number> = {}
  let mostSuspended = 0
  let queue = requests.map((request, index) => ({ ...request, name: `${request.tenantId}${index + 1}` }))
  for (let now = 0; Object.keys(ended).length < requests.length && now < 10_000; now++) {
    for (const job of running) {
      if (!job.isSuspended) job.left--
      if (job.left > 0) continue
      running.delete(job)
      turns.remove(job, now)
      ended[job.name] = now
    }
    while (true) {
      const turn = turns.next(now)
      if (turn === undefined) break
      const { queued } = turn
      const count = (tenantId: string) => [...running].filter((job) => job.tenantId === tenantId).length
      const [first] = queue
        .filter(
          ({ at, isLadder = false, tenantId }) =>
            queued !== undefined &&
            at <= queued.dueBy &&
            !queued.exceptTenants.includes(tenantId) &&
            (queued.ladders || !isLadder)
        )
        .toSorted(
          (a, b) =>
            Number(a.isLadder ?? false) - Number(b.isLadder ?? false) ||
            count(a.tenantId) - count(b.tenantId) ||
            a.at - b.at
        )
      if (first === undefined && turn.resume === undefined) break
      if (turn.suspend !== undefined) turns.suspend(turn.suspend, now)
      if (first !== undefined) {
        queue = queue.filter((request) => request !== first)
        const { isLadder = false, name, tenantId, work: left } = first
        const job = { name, tenantId, isLadder, left, isSuspended: false, since: now }
        running.add(job)
        turns.add(job)
        began[first.name] = now
      } else if (turn.resume !== undefined) turns.resume(turn.resume, now)
      const active = [...running].filter(({ isSuspended }) => !isSuspended).length
      assert.isAtMost(active, own.slots ?? options.slots)
      mostSuspended = Math.max(mostSuspended, running.size - active)
    }
  }
  return { began, ended, mostSuspended }
}

const request = (tenantId: string, at: number, work: number): Request => ({ tenantId, at, work })

describe("Turns", () => {
  it("long conversion, short one of another tenant → the short one begins when the slice is over", () => {
    const { began, ended } = simulate([request("a", 0, 1000), request("b", 5, 6)])
    assert.deepStrictEqual(began, { a1: 0, b2: 20 })
    assert.deepStrictEqual(ended, { a1: 1006, b2: 26 })
  })

  it("ladder runs, conversion of any tenant comes → the ladder is suspended at once, and continues when no conversion is left", () => {
    const ladder = { ...request("a", 0, 100), isLadder: true }
    const { began, ended, mostSuspended } = simulate([ladder, request("a", 10, 50), request("b", 20, 30)])
    assert.deepStrictEqual(began, { a1: 0, a2: 10, b3: 30 })
    assert.deepStrictEqual(ended, { a2: 90, b3: 80, a1: 180 })
    assert.strictEqual(mostSuspended, 2)
  })

  it("several ladders → one after the other, another only when none is suspended", () => {
    const ladders = [0, 1, 2].map((at): Request => ({ tenantId: "a", at, work: 100, isLadder: true }))
    const { ended, mostSuspended } = simulate([...ladders, request("b", 50, 10), request("b", 120, 10)])
    assert.deepStrictEqual(ended, { a1: 110, a2: 220, a3: 320, b4: 60, b5: 130 })
    assert.strictEqual(mostSuspended, 1)
  })

  it("all conversions are of one tenant → none is suspended, first come, first served", () => {
    const { ended, mostSuspended } = simulate([request("a", 0, 100), request("a", 1, 5), request("a", 2, 100)])
    assert.deepStrictEqual(ended, { a1: 100, a2: 105, a3: 205 })
    assert.strictEqual(mostSuspended, 0)
  })

  it("long conversions of two tenants → they alternate", () => {
    const { ended } = simulate([request("a", 0, 100), request("b", 0, 100)])
    assert.isAtMost(Math.abs((ended["a1"] ?? 0) - (ended["b2"] ?? 0)), 20)
  })

  it("tenant with a long queue → another tenant's suspended conversion gets every second turn", () => {
    const queue = Array.from({ length: 20 }, () => request("b", 1, 10))
    const { ended } = simulate([request("a", 0, 100), ...queue])
    assert.isAtMost(ended["a1"] ?? Infinity, 100 + 5 * 10)
  })

  it("many tenants with short conversions → each is served once before the suspended one continues", () => {
    const many = ["b", "c", "d", "e"].map((tenantId) => request(tenantId, 3, 5))
    const { began, ended } = simulate([request("a", 0, 100), ...many, request("f", 30, 5)])
    assert.deepStrictEqual([began["b2"], began["c3"], began["d4"], began["e5"]], [20, 25, 30, 35])
    // It was requested after the long one was suspended, which therefore gets its turn before it.
    assert.strictEqual(began["f6"], 60)
    assert.strictEqual(ended["a1"], 125)
  })

  it("more long conversions than may be suspended → no more are suspended, and all end", () => {
    const { ended, mostSuspended } = simulate(["a", "b", "c", "d", "e"].map((tenantId) => request(tenantId, 0, 100)))
    assert.strictEqual(mostSuspended, 2)
    assert.strictEqual(Math.max(...Object.values(ended)), 500)
  })

  it("two slots → both are used, and only one conversion gives way to one that waits", () => {
    const { began, mostSuspended } = simulate([request("a", 0, 100), request("a", 0, 100), request("b", 5, 5)], {
      slots: 2
    })
    assert.deepStrictEqual(began, { a1: 0, a2: 0, b3: 20 })
    assert.strictEqual(mostSuspended, 1)
  })
})
