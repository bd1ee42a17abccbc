/**
 * The sizes of the operations.
 */
export interface Sizes {
  /** Files in a large bucket. */
  readonly files: number
  /** Tenants beside the attacker, and files in each. */
  readonly tenants: number
  readonly filesPerTenant: number
  /** Mirrors without work. */
  readonly idleMirrors: number
  /** Contents that wait for the sweeper. */
  readonly doomed: number
  /** Conversions that wait, and replaced contents with a conversion. */
  readonly queued: number
  /** Connections of an attacker who sends requests at once. */
  readonly connections: number
  /** Connections of clients that read or send almost nothing. */
  readonly slowClients: number
  /** Bytes of the file that slow clients read. */
  readonly largeBytes: number
  /** Seconds of an operation that has no end of its own. */
  readonly seconds: number
  /** Times that a short operation is repeated. */
  readonly repetitions: number
  /** Seconds of a video that is encoded. */
  readonly videoSeconds: number
}

export const full: Sizes = {
  files: 1_000_000,
  tenants: 1000,
  filesPerTenant: 100,
  idleMirrors: 100_000,
  doomed: 50_000,
  queued: 100_000,
  connections: 64,
  slowClients: 1000,
  largeBytes: 1024 ** 3,
  seconds: 20,
  repetitions: 20,
  videoSeconds: 60
}

/** For a check that everything runs. */
export const quick: Sizes = {
  files: 10_000,
  tenants: 20,
  filesPerTenant: 20,
  idleMirrors: 500,
  doomed: 1000,
  queued: 1000,
  connections: 16,
  slowClients: 50,
  largeBytes: 16 * 1024 ** 2,
  seconds: 2,
  repetitions: 3,
  videoSeconds: 5
}

/** Returns the free space that a run needs, in bytes. */
export const spaceNeeded = ({ doomed, files, largeBytes }: Sizes): number =>
  6000 * files + 8192 * doomed + 3 * largeBytes
