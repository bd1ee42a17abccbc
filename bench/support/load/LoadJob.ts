/**
 * The messages between the benchmark and its load generator.
 */
import * as Schema from "effect/Schema"
import type { Protocol } from "../processes/Jobs.ts"

/** A placeholder in a head or a prefix for a number of ten digits that each request increments. */
export const sequence = "##########"

/** One request as it is sent: the head, then prefix, constant bytes and suffix. */
export const Outgoing = Schema.Struct({
  /** Request line and headers, with the empty line. */
  head: Schema.String,
  prefix: Schema.String,
  bytes: Schema.Int,
  suffix: Schema.String
})
export type Outgoing = typeof Outgoing.Type

export const LoadJob = Schema.Struct({
  port: Schema.Int,
  /** The n-th connection repeats the n-th of these; with more requests than connections, also every further one in its place. */
  requests: Schema.Array(Outgoing),
  /** Connections that are kept alive. */
  connections: Schema.Int,
  /** Requests that each connection has in flight, pipelined; 1 when absent. Their bodies must be small. */
  depth: Schema.optionalKey(Schema.Int),
  /** Whether all connections send the same number of requests, rather than as many as each can; false when absent. */
  isEqual: Schema.optionalKey(Schema.Boolean),
  /** Requests over all connections. */
  count: Schema.Int,
  /** The status that every response must have. */
  status: Schema.Int,
  /** The first number of `sequence`. */
  firstNumber: Schema.Int
})
export type LoadJob = typeof LoadJob.Type

export const LoadResult = Schema.Struct({
  requests: Schema.Int,
  /** Bytes of the responses' bodies. */
  bytes: Schema.Int,
  wallMs: Schema.Finite,
  /** Processor time of the load generator. */
  cpuMs: Schema.Finite,
  /** Of one request, from its first byte sent to its last byte received. */
  medianMs: Schema.Finite,
  p99Ms: Schema.Finite
})
export type LoadResult = typeof LoadResult.Type

export const protocol: Protocol<LoadJob, LoadResult> = { job: LoadJob, result: LoadResult }
