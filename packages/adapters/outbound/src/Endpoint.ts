/**
 * Parses the URL of a service as a user enters it.
 */
import * as Is from "@holdfast/core/inputs/OptionChecks"
import * as Result from "effect/Result"

/**
 * Returns the URL of an endpoint, or the reason why a text is not one, as a sentence. An endpoint is `http` or `https`
 * with a host and optionally a port and a path. It has no user, password, query or fragment: those would appear in
 * logs, or be dropped without notice. `GuardedAgents` checks the address when a connection is opened.
 */
export const parse = (text: string): Result.Result<URL, string> => {
  if (!URL.canParse(text)) return Result.fail("It is not a URL.")
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return Result.fail("It begins neither with https:// nor http://.")
  if (url.username !== "" || url.password !== "") return Result.fail("It contains a user name or a password.")
  // The parts of a parsed URL do not show an empty query or fragment.
  if (/[?#]/.test(text)) return Result.fail("It contains a query or a fragment.")
  return Result.succeed(url)
}

/** The check of an option that is an endpoint. */
export const check: Is.Check = Is.when(
  (value) => typeof value === "string" && Result.isSuccess(parse(value)),
  "must be an http or https URL without user, query and fragment"
)
