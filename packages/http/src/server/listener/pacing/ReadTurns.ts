/**
 * Bounds what a turn of the event loop parses. In one turn Node reads up to 2 MiB of each connection that has sent something, and calls
 * JavaScript for every request and every chunk of a body in it: ten thousand chunks of one byte, or two thousand requests, in 64 KiB. With a
 * hundred such connections the requests of all others would wait for seconds.
 *
 * Once a turn has parsed its budget, reading from all connections stops at once. In the next turns it starts again in rotation, for one
 * connection of each owner after the other: twice as many in each turn that stays within the budget, and half as many after one that exceeds it.
 */
import type { Socket } from "node:net"
import * as OwnerQueues from "../../../incoming/OwnerQueues.ts"

export interface ReadTurns {
  /** Adds an open connection, until it closes. */
  readonly add: (socket: Socket) => void
  /** Counts that something from a connection was parsed; `cost` is roughly the microseconds that it took. */
  readonly spend: (socket: Socket, cost: number) => void
}

export interface Options {
  /** Returns the owner of a connection: the tenant that its latest request named, or else its client. */
  readonly ownerOf: (socket: Socket) => string
  /** Starts to read again. Does nothing where the reader of a body has stopped it. */
  readonly resume: (socket: Socket) => void
}

/** What one turn parses, in microseconds. Below that, many ordinary requests may arrive in one turn. */
const budget = 5000

/** Connections that are read in the first turn after all were held. */
const firstAllowance = 4

export const make = ({ ownerOf, resume }: Options): ReadTurns => {
  /** The connections that are read. */
  const reading = new Set<Socket>()
  /** Others, which are read in this turn although it has exceeded its budget, because they were held before. */
  const released = new Set<Socket>()
  /** The connections that are held, with their owners. */
  const held = new Map<Socket, string>()
  const queues = OwnerQueues.make<Socket>()
  let spent = 0
  let allowance = 2 * firstAllowance
  /** Whether `nextTurn` runs in the next turn of the event loop. */
  let isScheduled = false

  const hold = (socket: Socket): void => {
    const owner = ownerOf(socket)
    queues.add(owner, socket)
    held.set(socket, owner)
    socket.pause()
  }

  const holdAll = (sockets: Set<Socket>): void => {
    for (const socket of sockets) hold(socket)
    sockets.clear()
  }

  const release = (socket: Socket): void => {
    held.delete(socket)
    released.add(socket)
    resume(socket)
  }

  const nextTurn = (): void => {
    isScheduled = false
    const isExceeded = spent > budget
    spent = 0
    allowance = isExceeded ? Math.max(1, allowance >> 1) : allowance * 2
    if (isExceeded) holdAll(released)
    else for (const socket of released) reading.add(socket)
    released.clear()
    while (released.size < allowance) {
      const socket = queues.take()
      if (socket === undefined) break
      release(socket)
    }
    if (released.size > 0) schedule()
    else allowance = 2 * firstAllowance
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    // Node calls it once in each turn, after it has read from the connections.
    setImmediate(nextTurn)
  }

  return {
    add: (socket) => {
      if (held.size > 0) hold(socket)
      else reading.add(socket)
      socket.once("close", () => {
        reading.delete(socket)
        released.delete(socket)
        const owner = held.get(socket)
        if (owner === undefined) return
        held.delete(socket)
        queues.remove(owner, socket)
      })
    },
    spend: (socket, cost) => {
      spent += cost
      if (spent > budget) {
        if (reading.size > 0) holdAll(reading)
        // It has had its turn. The others still have theirs.
        if (released.delete(socket)) hold(socket)
      }
      schedule()
    }
  }
}
