/**
 * Closes connections whose server is silent: it is suspended, its machine has vanished, or the network drops the packets. Such
 * a server cannot enforce its own timeouts, and TCP keeps a connection with unacknowledged data for a quarter of an hour.
 */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Socket } from "node:net"
import * as ConnectionSocket from "./ConnectionSocket.ts"

export interface Watch {
  /**
   * Runs a statement of a connection, which keeps the process alive only meanwhile. When the server sends nothing for the timeout, the connection is closed and all its
   * statements fail.
   */
  readonly statement: <A, E, R>(connection: PgConnection, statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns the number of open connections that have run a statement. */
  readonly openConnections: () => number
}

/** The statements of a connection. */
interface Activity {
  readonly socket: Socket
  running: number
  /** `socket.bytesRead` at the latest tick. */
  received: number
  /** Ticks since bytes arrived, while statements run. */
  silentTicks: number
}

/**
 * Silence is counted in ticks and not in time: after the event loop was blocked for long, the bytes that arrived meanwhile are
 * read before the next tick.
 */
const ticks = 20

const unwatched: Watch = { statement: (_, statement) => statement, openConnections: () => 0 }

/** Watches statements until the scope closes; watches nothing when the timeout is undefined. */
export const make = (timeout: Duration.Input | undefined): Effect.Effect<Watch, never, Scope.Scope> => {
  if (timeout === undefined) return Effect.succeed(unwatched)
  const milliseconds = Math.ceil(Duration.toMillis(timeout))
  const activities = new Map<Socket, Activity>()
  const active = new Set<Activity>()

  const tick = (): void => {
    for (const activity of active) {
      const { bytesRead } = activity.socket
      if (bytesRead !== activity.received) {
        activity.received = bytesRead
        activity.silentTicks = 0
      } else if (++activity.silentTicks >= ticks) {
        activity.socket.destroy(new Error(`PostgreSQL sent nothing for ${milliseconds} ms; the connection was closed`))
      }
    }
  }

  const activityOf = (connection: PgConnection): Activity => {
    const socket = ConnectionSocket.of(connection)
    const known = activities.get(socket)
    if (known !== undefined) return known
    const activity: Activity = { socket, running: 0, received: 0, silentTicks: 0 }
    activities.set(socket, activity)
    socket.once("close", () => activities.delete(socket))
    return activity
  }

  const begin = (activity: Activity): void => {
    if (activity.running++ > 0) return
    activity.socket.ref()
    activity.received = activity.socket.bytesRead
    activity.silentTicks = 0
    active.add(activity)
  }

  const end = (activity: Activity): void => {
    if (--activity.running > 0) return
    active.delete(activity)
    // An idle connection does not keep the process alive.
    activity.socket.unref()
  }

  /**
   * Without those that are being closed. Their statements fail before the event `close`, and the statements that follow would wait for
   * a connection without a bound.
   */
  const openConnections = (): number => {
    let open = 0
    for (const { destroyed } of activities.keys()) if (!destroyed) open++
    return open
  }

  const statement: Watch["statement"] = (connection, statement) =>
    Effect.suspend(() => {
      const activity = activityOf(connection)
      begin(activity)
      return Effect.onExitPrimitive(statement, () => {
        end(activity)
        return undefined
      })
    })

  return Effect.as(
    Effect.acquireRelease(
      Effect.sync(() => setInterval(tick, Math.max(1, Math.floor(milliseconds / ticks))).unref()),
      (timer) => Effect.sync(() => clearInterval(timer))
    ),
    { statement, openConnections }
  )
}
