/**
 * The socket of a connection, which @effect/sql-pg does not export. Destroying it is the only way to end a connection at once:
 * the library waits for the server.
 */
import * as Predicate from "effect/Predicate"
import { Socket } from "node:net"

/** Returns the socket of a connection, or of the one that a pinned view belongs to. */
export const of = (connection: unknown): Socket => {
  if (Predicate.hasProperty(connection, "base")) return of(connection.base)
  const session = Predicate.hasProperty(connection, "session") ? connection.session : undefined
  if (Predicate.hasProperty(session, "socket") && session.socket instanceof Socket) return session.socket
  throw new Error("This version of @effect/sql-pg keeps the socket of a connection elsewhere")
}
