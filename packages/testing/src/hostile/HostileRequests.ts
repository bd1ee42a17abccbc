/**
 * Hostile requests for every operation of an API, made from its OpenAPI document: each field of a body, each parameter of a path,
 * query and header, with values of wrong types, of the largest size, and of invalid text.
 *
 *     for (const request of HostileRequests.make(document, { tenantId, bucketId, fileId })) …
 *
 * No request removes a record: operations with `DELETE` get paths of records that do not exist.
 */
import * as Predicate from "effect/Predicate"
import * as HostileJson from "./HostileJson.ts"

export interface HostileRequest {
  /** The operation and the kind of the request: `files.reserve /metadata members`. */
  readonly name: string
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Returns the body; undefined for none. The bodies of all requests together take too much memory. */
  readonly body: () => string | Uint8Array<ArrayBuffer> | undefined
}

type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly in: string
  readonly name: string
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** By media type. */
  readonly contents: Readonly<Record<string, Json>>
}

const asObject = (value: unknown): Json => (Predicate.isObject(value) ? (value as Json) : {})
const asArray = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  Object.entries(asObject(document["paths"])).flatMap(([path, item]) =>
    Object.entries(asObject(item)).flatMap(([method, one]) => {
      const { operationId, parameters, requestBody } = asObject(one)
      if (typeof operationId !== "string") return []
      const contents = asObject(asObject(requestBody)["content"])
      return [
        {
          id: operationId,
          method: method.toUpperCase(),
          path,
          parameters: asArray(parameters).map((parameter) => {
            const { in: place, name } = asObject(parameter)
            return { in: String(place), name: String(name) }
          }),
          contents: Object.fromEntries(Object.entries(contents).map(([type, content]) => [type, asObject(content)]))
        }
      ]
    })
  )

type Resolve = (schema: unknown) => Json

const resolverOf =
  (document: Json): Resolve =>
  (schema) => {
    const { $ref: ref, ...rest } = asObject(schema)
    if (typeof ref !== "string") return rest
    const schemas = asObject(asObject(document["components"])["schemas"])
    return asObject(schemas[ref.slice(ref.lastIndexOf("/") + 1)])
  }

type Path = ReadonlyArray<string | number>

/** Returns the paths of all fields of a schema. */
const fieldsOf = (resolve: Resolve, schema: unknown, at: Path = []): ReadonlyArray<Path> => {
  const { items, properties } = resolve(schema)
  const fields = Object.entries(asObject(properties)).flatMap(([name, field]) => {
    const path: Path = at.concat(name)
    return [[path], fieldsOf(resolve, field, path)].flat()
  })
  const item: Path = at.concat(0)
  return items === undefined ? fields : [fields, [item], fieldsOf(resolve, items, item)].flat()
}

const marker = "@hostile@"

const place = (value: unknown, [step, ...rest]: Path): unknown => {
  if (step === undefined) return marker
  if (typeof step === "number") return [place(asArray(value)[0], rest)]
  return { ...asObject(value), [step]: place(asObject(value)[step], rest) }
}

/** Returns the JSON of an object in which one field is this JSON. */
const withField = (example: unknown, field: Path, json: string): string =>
  JSON.stringify(place(example, field)).replace(JSON.stringify(marker), () => json)

/** The alternatives of a body, each with an example. Several names of one alternative count as one. */
const alternativesOf = (resolve: Resolve, { example, schema }: Json) => {
  const { discriminator, ...resolved } = resolve(schema)
  const mapping = Object.entries(asObject(asObject(discriminator)["mapping"]))
  if (mapping.length === 0) return [{ example, schema: resolved as unknown }]
  const alternatives = mapping.map(([type, $ref]) => {
    const schema: unknown = { $ref }
    const fields = JSON.stringify(fieldsOf(resolve, schema))
    return [fields, { example: { ...asObject(example), type }, schema }] as const
  })
  return [...new Map(alternatives).values()]
}

const jsonType = { "content-type": "application/json" }

/** The kinds of values that are sent in every field. The others are sent in the first field of a body only. */
const inEveryField = new Set([
  "null",
  "number",
  "longText",
  "controls",
  "loneSurrogates",
  "combiningMarks",
  "emptyObjects",
  "deepArrays",
  "members"
])

const boundary = "hostile"
const formType = { "content-type": `multipart/form-data; boundary=${boundary}` }

const form = (description: string | Uint8Array<ArrayBuffer>, fileName = "a.txt"): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="body"\r\n\r\n`),
      Buffer.from(description),
      Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`),
      Buffer.from(`x\r\n--${boundary}--\r\n`)
    ])
  )

/** The size of a value, in bytes: the other fields of the body have less than a KiB. */
const fieldBytes = HostileJson.maxBytes - 1024
/** The size of a value in a form, in bytes: a part of a form has at most 64 KiB. */
const smallBytes = 60 * 1024

const formBodies: Readonly<Record<string, () => Uint8Array<ArrayBuffer>>> = {
  ...Object.fromEntries(
    Object.entries(HostileJson.bodies).map(([kind, make]) => [kind, () => form(make(smallBytes))] as const)
  ),
  ...Object.fromEntries(
    Object.entries(HostileJson.values).flatMap(([kind, make]) =>
      ["metadata", "headers", "name"].map(
        (field) => [`${field} ${kind}`, () => form(`{"name":"a","${field}":${make(smallBytes)}}`)] as const
      )
    )
  ),
  longFileName: () => form("{}", "x".repeat(HostileJson.maxBytes / 2)),
  invalidFileName: () => form("{}", "\ud800\0"),
  manyParts: () =>
    Uint8Array.from(
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n`.repeat(15_000))
    ),
  manyHeaders: () => Uint8Array.from(Buffer.from(`--${boundary}\r\n${"X-A: b\r\n".repeat(130_000)}`)),
  boundaries: () => Uint8Array.from(Buffer.from(`--${boundary}\r`.repeat(100_000)))
}

/** Texts for a part of a URL, percent-encoded. */
const urlTexts: Readonly<Record<string, string>> = {
  long: "x".repeat(8000),
  nul: "a%00b",
  invalidUtf8: "%ff%ed%a0%80",
  encoded: "%F0%9F%98%80".repeat(600),
  slashes: "%2F".repeat(2500),
  dots: "..%2F..%2F",
  notEncoded: "%zz%"
}

/** Texts for a header. */
const headerTexts: Readonly<Record<string, string>> = {
  long: "x".repeat(10_000),
  commas: '"a",'.repeat(2500),
  quotes: '"'.repeat(10_000),
  digits: `bytes=${"0-0,".repeat(2400)}`,
  latin1: "\u00ff".repeat(4000)
}

/**
 * Returns the requests.
 *
 * @param document The OpenAPI document.
 * @param records The values of parameters of paths, by name: ids of records that exist.
 */
export const make = (document: object, records: Readonly<Record<string, string>>): ReadonlyArray<HostileRequest> => {
  const resolve = resolverOf(document as Json)
  return operationsOf(document as Json).flatMap(({ contents, id, method, parameters, path }) => {
    const inPath = parameters.filter((parameter) => parameter.in === "path")
    const pathWith = (changed: Readonly<Record<string, string>>): string =>
      inPath.reduce(
        (url, { name }) => url.replace(`{${name}}`, () => changed[name] ?? encodeURIComponent(records[name] ?? name)),
        path
      )
    const lastName = inPath.at(-1)?.name ?? ""
    const own = method === "DELETE" ? pathWith({ [lastName]: "unknown" }) : pathWith({})
    const request = (kind: string, more: Partial<Omit<HostileRequest, "name" | "method">>): HostileRequest => ({
      name: `${id} ${kind}`,
      method,
      path: own,
      headers: {},
      body: () => undefined,
      ...more
    })

    const urls = Object.entries(urlTexts).flatMap(([kind, text]) =>
      parameters.flatMap(({ in: where, name }) =>
        where === "path"
          ? [request(`${name} ${kind}`, { path: pathWith({ [name]: text }) })]
          : where === "query"
            ? [request(`${name} ${kind}`, { path: `${own}?${name}=${text}` })]
            : []
      )
    )
    const repeated = parameters.flatMap(({ in: where, name }) =>
      where === "query" ? [request(`${name} repeated`, { path: `${own}?${`${name}=1&`.repeat(90)}` })] : []
    )
    const headers = parameters
      .filter((parameter) => parameter.in === "header")
      .flatMap(({ name }) =>
        Object.entries(headerTexts).map(([kind, text]) => request(`${name} ${kind}`, { headers: { [name]: text } }))
      )
    const query = request("query", { path: `${own}?${"a=b&".repeat(2500)}` })

    const json = contents["application/json"]
    const bodies = (json === undefined ? [] : Object.entries(HostileJson.bodies)).map(([kind, make]) =>
      request(kind, { headers: jsonType, body: () => make(HostileJson.maxBytes) })
    )
    const fields = (json === undefined ? [] : alternativesOf(resolve, json)).flatMap(({ example, schema }) =>
      fieldsOf(resolve, schema).flatMap((field, index) =>
        Object.entries(HostileJson.values)
          .filter(([kind]) => index === 0 || inEveryField.has(kind))
          .map(([kind, make]) =>
            request(`/${field.join("/")} ${kind}`, {
              headers: jsonType,
              body: () => withField(example, field, make(fieldBytes))
            })
          )
      )
    )
    const forms = (contents["multipart/form-data"] === undefined ? [] : Object.entries(formBodies)).map(
      ([kind, body]) => request(kind, { headers: formType, body })
    )
    return [urls, repeated, headers, [query], bodies, fields, forms].flat()
  })
}
