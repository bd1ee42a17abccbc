/**
 * Parses the query of a list of files where it has the form that most clients send. The contract decodes all others.
 */
import type { Request } from "@holdfast/core/files/FileList"

const flags: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false }

/** Decodes `%2F` and the like. Returns undefined for what is no UTF-8. */
const decodePath = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns the value of a parameter; undefined when the contract must decode it. */
const decode = {
  limit: (text: string) => (/^\d{1,4}$/.test(text) ? Number(text) : undefined),
  cursor: (text: string) => (/^[\w-]+$/.test(text) ? text : undefined),
  path: (text: string) => (/^[\w.~%/-]+$/.test(text) ? decodePath(text) : undefined),
  recursive: (text: string) => flags[text]
}

const isName = (name: string): name is keyof typeof decode => Object.hasOwn(decode, name)

/** Returns the request for a list; undefined when the query has another parameter, one of them twice, or an unusual value. */
export const parse = (query: string): Request | undefined => {
  const request: { [Name in keyof typeof decode]?: ReturnType<(typeof decode)[Name]> } = {}
  if (query === "") return request
  for (const parameter of query.split("&")) {
    const end = parameter.indexOf("=")
    const name = parameter.slice(0, end)
    if (end < 0 || !isName(name) || request[name] !== undefined) return undefined
    const value = decode[name](parameter.slice(end + 1))
    if (value === undefined) return undefined
    Object.assign(request, { [name]: value })
  }
  return request
}
