/**
 * Requests without a body to Azure Blob Storage, with Shared Key authorization. The module shares no code with the
 * adapters, so that tests can verify them with it.
 */
import { createHmac } from "node:crypto"

export interface Account {
  readonly endpoint: string
  readonly accountName: string
  /** Base64. */
  readonly accountKey: string
}

/** Sends a request for a path below the account: a container, or a blob in it. */
export const send = (
  { accountKey, accountName, endpoint }: Account,
  method: string,
  path: string,
  query: Readonly<Record<string, string>> = {}
): Promise<Response> => {
  const url = new URL(`${endpoint}/${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const headers = { "x-ms-date": new Date().toUTCString(), "x-ms-version": "2021-08-06" }
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`)
  const parameters = Object.entries(query)
    .toSorted()
    .map(([name, value]) => `${name}:${value}`)
  // The headers that have a line of their own in the text to sign are not sent.
  const empty = Array.from({ length: 11 }, () => "")
  const text = [method, ...empty, ...lines, `/${accountName}${url.pathname}`, ...parameters].join("\n")
  const signature = createHmac("sha256", Buffer.from(accountKey, "base64")).update(text).digest("base64")
  return fetch(url, { method, headers: { ...headers, authorization: `SharedKey ${accountName}:${signature}` } })
}
