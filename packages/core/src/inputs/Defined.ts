/**
 * Options of which some are undefined: their defaults hold, as for those that are absent.
 */

/** Returns a copy without undefined properties, so that none of them replaces a default. */
export const of = <Options extends object>(options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options
