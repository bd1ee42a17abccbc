/**
 * Reads values whose shape is unknown: errors of other libraries, and JSON of other services.
 */

/** Returns a property of a value; undefined when the value is no object, or has no such property. */
export const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
