/**
 * Free ports of the loopback interface.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** No free port was found. */
export class PortError extends Data.TaggedError("PortError")<{ readonly message: string }> {}

/**
 * The kernel gives the ports above these to outgoing connections and to servers that ask for any port. Between the
 * choice of such a port and its use by a program, another process may get it.
 */
const [firstPort, lastPort] = [10_240, 32_767]

/** A port that no program listens on: reserved by IANA, and only the superuser may use it. A free port may be taken at any time. */
export const closedPort = 1023

/** How many ports are tried. */
const attempts = 100

const listen = (port: number): Effect.Effect<number, PortError> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(new PortError({ message: error.message }))))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
  })

/** Returns a port between 10,240 and 32,767 that was free a moment ago. */
export const freePort: Effect.Effect<number, PortError> = Effect.sync(() => randomInt(firstPort, lastPort + 1)).pipe(
  Effect.flatMap(listen),
  Effect.retry({ times: attempts })
)
