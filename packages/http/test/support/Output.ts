/**
 * Looking for what must be nowhere.
 */
import { expect } from "vitest"

/** Checks that no text, whole or as it is inside JSON, URLs or base64, is in any output. */
export const expectNone = (secrets: ReadonlyArray<string>, outputs: Readonly<Record<string, string>>): void => {
  for (const secret of secrets) {
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64").replaceAll("=", "")
    ]
    for (const [where, output] of Object.entries(outputs)) {
      for (const form of forms) expect(output.includes(form), `${form} in ${where}`).toBe(false)
    }
  }
}
