/**
 * Free ports of the loopback interface.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createServer } from "node:net"

/** The machine has no free port. */
export class PortError extends Data.TaggedError("PortError")<{ readonly message: string }> {}

/** Returns a port that was free a moment ago. */
export const freePort: Effect.Effect<number, PortError> = Effect.callback((resume) => {
  const server = createServer()
  server.once("error", (error) => resume(Effect.fail(new PortError({ message: error.message }))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(
        address === null || typeof address === "string"
          ? Effect.fail(new PortError({ message: "the server has no port" }))
          : Effect.succeed(address.port)
      )
    )
  })
})
