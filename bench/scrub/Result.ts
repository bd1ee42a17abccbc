/**
 * What a scrub found and how fast it was.
 */

/** A content in which a bit was flipped. */
export interface DamagedContent {
  /** Whether a mirror has a copy. */
  readonly hasCopy: boolean
  /** Whether the service recorded the damage. */
  readonly isFound: boolean
  /** Whether the stored bytes are right again. */
  readonly isRepaired: boolean
}

export interface Result {
  readonly database: string
  /** Contents that the scrub read, with the copies of the mirror, and their bytes. */
  readonly contents: number
  readonly bytes: number
  readonly seconds: number
  /** Processor time of the service during the scrub, in seconds. */
  readonly cpuSeconds: number
  /** The same of the database's own processes; undefined where there are none. */
  readonly databaseCpuSeconds: number | undefined
  readonly damaged: ReadonlyArray<DamagedContent>
  /** Intact contents that the service recorded as damaged. */
  readonly falseAlarms: number
}

/** Returns whether the scrub found exactly the damaged contents, and those with a copy were repaired. */
export const isRight = ({ damaged, falseAlarms }: Result): boolean =>
  falseAlarms === 0 && damaged.every(({ hasCopy, isFound, isRepaired }) => isFound && (isRepaired || !hasCopy))

const count = <A>(items: ReadonlyArray<A>, test: (item: A) => boolean): number => items.filter(test).length

/** Returns the lines that describe a result. */
export const render = (result: Result): string => {
  const { bytes, contents, cpuSeconds, damaged, database, databaseCpuSeconds, falseAlarms, seconds } = result
  const share = (cpu: number): string => `${((cpu / seconds) * 100).toFixed(1)} %`
  const withCopy = damaged.filter(({ hasCopy }) => hasCopy)
  const withoutCopy = damaged.filter(({ hasCopy }) => !hasCopy)
  const ofDatabase = databaseCpuSeconds === undefined ? "" : `, PostgreSQL ${share(databaseCpuSeconds)}`
  return [
    `${database}: ${contents} contents, ${(bytes / 1024 ** 2).toFixed(0)} MiB, in ${seconds.toFixed(1)} s`,
    `  speed         ${(contents / seconds).toFixed(0)} contents per second`,
    `  processor     service ${share(cpuSeconds)}${ofDatabase} of one`,
    `  found         ${count(damaged, ({ isFound }) => isFound)} of ${damaged.length}, false alarms: ${falseAlarms}`,
    `  repaired      ${count(withCopy, ({ isRepaired }) => isRepaired)} of ${withCopy.length} with a copy at a mirror`,
    `  not repaired  ${count(withoutCopy, ({ isRepaired }) => !isRepaired)} of ${withoutCopy.length} without a copy`,
    ""
  ].join("\n")
}
