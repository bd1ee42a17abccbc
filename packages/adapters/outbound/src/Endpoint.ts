/**
 * The address of a service as a user types it.
 */
import * as Result from "effect/Result"

/**
 * The URL of an endpoint, or why a text is none. It is `http` or `https`, with a host and perhaps a port and a path, and
 * nothing that would end up in logs or be dropped unnoticed: no user, no password, no query, no fragment. Where it leads
 * is checked by the agents, when a connection is opened.
 */
export const parse = (text: string): Result.Result<URL, string> => {
  if (!URL.canParse(text)) return Result.fail("It is no URL.")
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return Result.fail("It begins neither with https:// nor http://.")
  if (url.username !== "" || url.password !== "") return Result.fail("It contains a user name or a password.")
  // An empty query or fragment is not told by the URL's parts.
  if (/[?#]/.test(text)) return Result.fail("It contains a query or a fragment.")
  return Result.succeed(url)
}
