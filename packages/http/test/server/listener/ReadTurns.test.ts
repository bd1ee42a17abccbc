import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import * as ReadTurns from "../../../src/server/listener/pacing/ReadTurns.ts"

/** More than a turn may parse. */
const flood = 20_000

/** A connection that reads when it may, as the event loop would let it: `read` counts the turns in which it was read. */
class FakeSocket extends EventEmitter {
  isReading = true
  reads = 0
  readonly owner: string
  readonly cost: number

  constructor(owner: string, cost: number) {
    super()
    this.owner = owner
    this.cost = cost
  }

  pause(): void {
    this.isReading = false
  }
}

const make = (sockets: ReadonlyArray<FakeSocket>) => {
  const turns = ReadTurns.make({
    ownerOf: (socket) => (socket as unknown as FakeSocket).owner,
    resume: (socket) => void ((socket as unknown as FakeSocket).isReading = true)
  })
  for (const socket of sockets) turns.add(socket as unknown as Socket)
  /** One turn of the event loop: reads from every connection that is read when its turn comes. */
  const runTurn = async (): Promise<void> => {
    for (const socket of sockets) {
      if (!socket.isReading) continue
      socket.reads++
      turns.spend(socket as unknown as Socket, socket.cost)
    }
    await turn()
  }
  return { runTurn, turns }
}

const times = (count: number, owner: string, cost: number) =>
  Array.from({ length: count }, () => new FakeSocket(owner, cost))

describe("ReadTurns", () => {
  it("ordinary requests of 100 connections → all are read in each turn", async () => {
    const sockets = times(100, "a", 20)
    const { runTurn } = make(sockets)
    for (let i = 0; i < 5; i++) await runTurn()
    assert.isTrue(sockets.every(({ reads }) => reads === 5))
  })

  it("100 connections of one client flood → few are read in a turn, and that of another client in every third turn", async () => {
    const attackers = times(100, "attacker", flood)
    const victim = new FakeSocket("victim", 20)
    const { runTurn } = make([...attackers, victim])
    const readsOf = () => attackers.reduce((sum, { reads }) => sum + reads, 0)
    for (let i = 0; i < 50; i++) {
      const before = readsOf()
      await runTurn()
      assert.isAtMost(readsOf() - before, 4)
    }
    assert.isAtLeast(victim.reads, 16)
    assert.isTrue(attackers.filter(({ reads }) => reads > 0).length > 40)
  })

  it("flood ends → all connections are read again within some turns", async () => {
    const attacker = new FakeSocket("attacker", flood)
    const others = times(100, "other", 20)
    const { runTurn } = make([attacker, ...others])
    for (let i = 0; i < 10; i++) await runTurn()
    attacker.emit("close")
    attacker.isReading = false
    for (let i = 0; i < 8; i++) await runTurn()
    assert.isTrue(others.every(({ isReading }) => isReading))
  })

  it("connection opened during a flood → read in its turn; closed while it is held → forgotten", async () => {
    const attackers = times(2, "attacker", flood)
    const { runTurn, turns } = make(attackers)
    await runTurn()
    const opened = new FakeSocket("new", 20)
    const closed = new FakeSocket("closed", 20)
    attackers[0]!.isReading = true
    turns.spend(attackers[0] as unknown as Socket, flood)
    for (const socket of [opened, closed]) turns.add(socket as unknown as Socket)
    assert.isFalse(opened.isReading)
    closed.emit("close")
    for (let i = 0; i < 8; i++) await runTurn()
    assert.isTrue(opened.isReading)
    assert.isFalse(closed.isReading)
  })
})
