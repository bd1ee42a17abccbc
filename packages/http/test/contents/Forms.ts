/**
 * Forms of uploads.
 */

/** A form with these parts, in this order. */
export const form = (
  ...parts: ReadonlyArray<readonly [name: string, value: string | Blob, filename?: string]>
): FormData => {
  const data = new FormData()
  for (const [name, value, filename] of parts) {
    if (typeof value === "string") data.append(name, value)
    else data.append(name, value, filename)
  }
  return data
}
