/**
 * How long the service waits for the next byte of a body.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** How long an upload waits for the client's next byte before it fails. */
export const IdleTimeout = Context.Reference<Duration.Duration>("@holdfast/http/handlers/IdleTimeout", {
  defaultValue: () => Duration.minutes(1)
})
