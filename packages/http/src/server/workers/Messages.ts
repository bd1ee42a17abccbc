/**
 * The messages between the supervisor and its worker processes.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const message = <const Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

const id = Schema.Finite
const text = Schema.String

/** What processes have counted of the rates of requests. */
const counted = message("counted", {
  counts: Schema.Array(
    Schema.Struct({
      policy: Schema.Literals(["key", "tenant", "anonymous", "failed-authentication"]),
      subject: Schema.String,
      requests: Schema.Finite
    })
  )
})

/** From a worker process to the supervisor. */
const ToSupervisor = Schema.Union([
  /** It listens. */
  message("listening", {}),
  /** A store of the deployment has to be opened again, by all processes. */
  message("storeFailed", {}),
  /** Asks for the metrics of all processes. */
  message("collect", { id }),
  /** Answers `report` with its own metrics, in the text format of Prometheus. */
  message("report", { id, text }),
  counted
])
export type ToSupervisor = typeof ToSupervisor.Type

/** From the supervisor to a worker process. */
const ToWorker = Schema.Union([
  /** All processes listen for the first time. */
  message("started", {}),
  /** Stop in order. */
  message("stop", {}),
  /** Asks for the metrics of the process. */
  message("report", { id }),
  /** Answers `collect`. */
  message("collected", { id, texts: Schema.Array(text) }),
  counted
])
export type ToWorker = typeof ToWorker.Type

const decoder = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (received: unknown): A | undefined => Option.getOrUndefined(decode(received))
}

/** Returns a message from a worker process; undefined for anything else. */
export const toSupervisor = decoder(ToSupervisor)

/** Returns a message from the supervisor; undefined for anything else. */
export const toWorker = decoder(ToWorker)
