/**
 * The page of the API reference: every operation with its parameters, body, sample and answers, and the schemas.
 */
import * as Html from "./Html.ts"
import { script } from "./PageScript.ts"
import { style } from "./PageStyle.ts"
import * as Schemas from "./Schemas.ts"

interface Content {
  readonly [mediaType: string]: { readonly schema?: Schemas.Schema; readonly example?: unknown }
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schemas.Schema
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Content; readonly required?: boolean }
  readonly responses: { readonly [status: string]: { readonly description: string; readonly content?: Content } }
  readonly "x-codeSamples"?: ReadonlyArray<{ readonly source: string }>
}

/** The part of an OpenAPI document that the page shows. */
export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: { readonly [name: string]: Schemas.Schema } }
}

const sample = (text: string): string =>
  `<div><h4>Sample <button name="copy" type="button">Copy</button></h4><pre>${Html.escape(text)}</pre></div>`

const parameters = (all: ReadonlyArray<Parameter>): string =>
  ["path", "query", "header"]
    .map((place) => {
      const those = all.filter((one) => one.in === place)
      const items = those.map(({ description, name, required, schema }) =>
        Schemas.field(name, description === undefined ? schema : { ...schema, description }, required === true)
      )
      return those.length === 0 ? "" : `<h4>In the ${place}</h4><ul class="fields">${items.join("")}</ul>`
    })
    .join("")

const body = ({ requestBody }: Operation): string => {
  if (requestBody === undefined) return ""
  const kinds = Object.entries(requestBody.content).map(
    ([type, { schema = {} }]) => `<p><code>${Html.escape(type)}</code></p>${Schemas.fields(schema)}`
  )
  return `<h4>Body${requestBody.required === false ? " (optional)" : ""}</h4>${kinds.join("")}`
}

const answers = ({ responses }: Operation): string => {
  const all = Object.entries(responses)
  const successes = all
    .filter(([status]) => status < "400")
    .map(([status, { content = {}, description }]) => {
      const kinds = Object.entries(content).map(
        ([type, { schema = {} }]) => ` <code>${Html.escape(type)}</code> ${Schemas.typeOf(schema)}`
      )
      return `<li><b>${status}</b> ${Html.escape(description)}${kinds.join(",")}</li>`
    })
  const failures = all
    .filter(([status]) => status >= "400")
    .map(([status, { description }]) => {
      const codes = [...description.matchAll(/`(\w+)`/g)].map(([, code = ""]) => `<a href="#error-${code}">${code}</a>`)
      return `<li><b>${status}</b> ${codes.join(", ")}</li>`
    })
  return `<h4>Answers</h4><ul class="fields">${successes.join("")}</ul><details><summary>${failures.length} errors</summary><ul class="fields">${failures.join("")}</ul></details>`
}

interface Described extends Operation {
  readonly method: string
  readonly path: string
}

const article = (one: Described): string => {
  const { description = "", method, operationId, path, summary = operationId } = one
  const source = one["x-codeSamples"]?.[0]?.source
  return `<article id="${operationId}" data-method="${method}" data-path="${path}"><header><h3>${Html.escape(summary)}</h3>
<p class="path"><b>${method.toUpperCase()}</b> <code>${Html.escape(path)}</code> <small>${operationId}</small></p></header>
${Html.fromMarkdown(description)}${parameters(one.parameters)}${body(one)}${source === undefined ? "" : sample(source)}${answers(one)}
<button name="try" type="button">Try it</button></article>`
}

const isProblem = (name: string): boolean => name.startsWith("Problem_")

const errors = (schemas: Document["components"]["schemas"]): string =>
  Object.entries(schemas)
    .filter(([name]) => isProblem(name))
    .map(([, { properties: { code, status, title } = {} }]) => {
      const name = String(code?.const)
      return `<li id="error-${name}"><code>${name}</code> <b>${String(status?.const)}</b> ${Html.escape(String(title?.const))}</li>`
    })
    .join("")

/** Returns the page. */
export const render = ({ components: { schemas }, info, paths, tags }: Document): string => {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => Object.assign({ method, path }, one))
  )
  const groups = tags.map((tag) => ({ ...tag, operations: operations.filter((one) => one.tags[0] === tag.name) }))
  const links = groups.map(
    ({ name, operations }) =>
      `<li><b>${name}</b><ul>${operations
        .map(
          ({ operationId, summary }) => `<li><a href="#${operationId}">${Html.escape(summary ?? operationId)}</a></li>`
        )
        .join("")}</ul></li>`
  )
  const sections = groups.map(
    ({ description = "", name, operations }) =>
      `<section><h2>${name}</h2>${Html.fromMarkdown(description)}${operations.map(article).join("")}</section>`
  )
  const records = Object.entries(schemas)
    .filter(([name]) => !isProblem(name))
    .map(
      ([name, schema]) =>
        `<section id="schema-${name}"><h3>${name}</h3>${Html.fromMarkdown(schema.description ?? "")}${Schemas.fields(schema)}</section>`
    )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${Html.escape(info.title)} API</title><style>${style}</style></head><body>
<nav aria-label="Operations"><label>Filter <input id="filter" type="search"></label><p id="found" role="status"></p><ul>${links.join("")}<li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ul></nav>
<main><h1>${Html.escape(info.title)} API <small>${Html.escape(info.version)}</small></h1>${Html.fromMarkdown(info.description ?? "")}
<p>Also as <a href="openapi.json">OpenAPI 3.1</a>. The samples need these variables in your shell:</p>
<pre>API=<span class="origin"></span>/api/v1
KEY=hf_…       # an API key
TENANT=ten_…   # the id of a tenant; BUCKET, FILE, MEMBER and others likewise</pre>
${sections.join("")}<h2 id="errors">Errors</h2><ul class="fields">${errors(schemas)}</ul><h2 id="schemas">Schemas</h2>${records.join("")}</main>
<script>${script}</script></body></html>`
}
