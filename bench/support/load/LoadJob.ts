/**
 * What the load generator is told, and what it tells back.
 */
import * as Schema from "effect/Schema"

/** Stands for a number of ten digits that grows with each request, in a head or a prefix. */
export const sequence = "##########"

/** One request, as it goes over the wire: the head, then prefix, constant bytes and suffix. */
export const Outgoing = Schema.Struct({
  /** Request line and headers, with the empty line. */
  head: Schema.String,
  prefix: Schema.String,
  bytes: Schema.Int,
  suffix: Schema.String
})
export type Outgoing = typeof Outgoing.Type

export const Job = Schema.Struct({
  port: Schema.Int,
  /** The n-th connection sends the n-th of these, again and again. */
  requests: Schema.Array(Outgoing),
  /** Connections that are kept alive, each with one request at a time. */
  connections: Schema.Int,
  /** Requests over all connections. */
  count: Schema.Int,
  /** The status that every response must have. */
  status: Schema.Int,
  /** Where `sequence` begins. */
  firstNumber: Schema.Int
})
export type Job = typeof Job.Type

export const Outcome = Schema.Struct({
  requests: Schema.Int,
  /** Bytes of the responses' bodies. */
  bytes: Schema.Int,
  wallMs: Schema.Finite,
  /** Of one request, from its first byte sent to its last byte received. */
  medianMs: Schema.Finite,
  p99Ms: Schema.Finite
})
export type Outcome = typeof Outcome.Type

export const Answer = Schema.Union([Schema.Struct({ outcome: Outcome }), Schema.Struct({ error: Schema.String })])
export type Answer = typeof Answer.Type
