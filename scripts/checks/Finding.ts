/**
 * One violation that a check found.
 */
export interface Finding {
  /** Relative to the root of the workspace. */
  readonly path: string
  /** Counted from 1; undefined where the finding is about the whole file or folder. */
  readonly line?: number | undefined
  readonly message: string
}

/** Returns a finding as one line, in the form that editors and terminals link to its place. */
export const format = ({ line, message, path }: Finding): string =>
  `${line === undefined ? path : `${path}:${line}`}: ${message}`
