/**
 * Parses the queries of frequent requests where they have the form that most clients send. The contract decodes all others.
 */

/** Decodes `%2F` and the like. Returns undefined for what is no UTF-8. */
const decodeText = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** A text of characters that mean themselves or are percent-encoded. */
export const text = (value: string): string | undefined => (/^[\w.~%/-]+$/.test(value) ? decodeText(value) : undefined)

/** An API key. */
export const key = (value: string): string | undefined => (/^[\w-]+$/.test(value) ? value : undefined)

/** Returns the value of a parameter; undefined when the contract must decode it. */
type Decoders = { readonly [name: string]: (value: string) => unknown }

type Parsed<D extends Decoders> = { readonly [Name in keyof D]?: Exclude<ReturnType<D[Name]>, undefined> }

/**
 * Returns the parameters of a query; undefined when it has a parameter without a decoder, one of them twice, or a value that its
 * decoder does not accept.
 */
export const parse = <D extends Decoders>(decoders: D, query: string): Parsed<D> | undefined => {
  const parsed: { [name: string]: unknown } = {}
  if (query === "") return {}
  for (const parameter of query.split("&")) {
    const end = parameter.indexOf("=")
    const name = parameter.slice(0, end)
    if (end < 0 || !Object.hasOwn(decoders, name) || parsed[name] !== undefined) return undefined
    const value = decoders[name]?.(parameter.slice(end + 1))
    if (value === undefined) return undefined
    parsed[name] = value
  }
  return parsed as Parsed<D>
}
