/**
 * Checks that secrets do not appear in outputs.
 */
import { expect } from "vitest"

/** Expects that no output contains a secret, neither as it is nor encoded for JSON, URLs or base64. */
export const expectAbsent = (secrets: ReadonlyArray<string>, outputs: Readonly<Record<string, string>>): void => {
  for (const secret of secrets) {
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64").replaceAll("=", "")
    ]
    for (const [name, output] of Object.entries(outputs)) {
      for (const form of forms) expect(output.includes(form), `${form} in ${name}`).toBe(false)
    }
  }
}
