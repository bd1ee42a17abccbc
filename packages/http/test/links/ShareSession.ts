/**
 * Sessions of the pages of shares, as the script of the page opens them.
 */

export interface Share {
  readonly id: string
  readonly token: string
}

/** Exchanges a token for a session. */
export const exchange = (url: string, { id, token }: Share): Promise<Response> =>
  fetch(`${url}/s/${id}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token })
  })

/** Opens a share. Returns the cookie of its session, for the header `Cookie`. */
export const open = async (url: string, share: Share): Promise<string> =>
  (await exchange(url, share)).headers.get("set-cookie")?.split(";")[0] ?? ""
