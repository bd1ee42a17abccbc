/**
 * Completes the OpenAPI document that Effect generates from the contract: adds what all operations have in common, and what
 * the generator cannot express.
 */
import * as Context from "effect/Context"
import type { HttpApiSecurity } from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import type { ProblemCode } from "../../problems/ProblemTable.ts"
import * as Bodies from "./Bodies.ts"
import { splitUnions } from "./DiscriminatedUnions.ts"
import { normalize } from "./NormalizeSchemas.ts"
import * as Parameters from "./Parameters.ts"
import * as ProblemSchemas from "./ProblemSchemas.ts"
import * as ResponseHeaders from "./ResponseHeaders.ts"
import * as Samples from "./Samples.ts"

type Spec = OpenApi.OpenAPISpec
type Operation = OpenApi.OpenAPISpecOperation
type Response = OpenApi.OpenApiSpecResponse

/** Security schemes by name. */
type Schemes = Readonly<Record<string, HttpApiSecurity>>

const problemType = "application/problem+json"

/** The codes of the problems that a generated response refers to. */
const codesIn = (response: Response): ReadonlyArray<ProblemCode> => {
  const refs = JSON.stringify(response.content?.[problemType] ?? {}).matchAll(/"\$ref":"([^"]+)"/g)
  return [...refs].map(([, ref = ""]) => ProblemSchemas.codeOf(ref)).filter((code) => code !== undefined)
}

const content = (operationId: string, status: string, { content }: Response): OpenApi.OpenApiSpecContent | undefined =>
  Bodies.binaryContent(operationId, status) ?? content

const descriptions: { readonly [status: string]: string } = {
  200: "The operation succeeded.",
  201: "The record was created.",
  202: "The request was accepted. The record shows its progress.",
  204: "The record was removed.",
  206: "The requested ranges of the content.",
  304: "The client already has the current content."
}

const response = (operationId: string, status: string, generated: Response): Response => {
  const headers = ResponseHeaders.allHeaders(status, generated.headers)
  const codes = codesIn(generated)
  if (codes.length > 0) {
    const { description, schema } = ProblemSchemas.response(codes)
    return { description, headers, content: { [problemType]: { schema } } }
  }
  const body = content(operationId, status, generated)
  return {
    description: descriptions[status] ?? generated.description,
    headers,
    ...(body === undefined ? undefined : { content: body })
  }
}

const operation = ({ requestBody, ...generated }: Operation, schemes: Schemes): Operation => {
  const { operationId } = generated
  const responses = Object.entries(generated.responses).map(([status, one]) => [
    status,
    response(operationId, status, one)
  ])
  return {
    ...generated,
    parameters: generated.parameters.map(Parameters.describe),
    responses: Object.fromEntries(responses),
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
    ...(requestBody === undefined ? undefined : { requestBody: Bodies.describeRequest(operationId, requestBody) })
  }
}

const withSample = (one: Operation, method: string, path: string): Operation => {
  const samples = [{ lang: "Shell", label: "curl", source: Samples.curl(one, method, path) }]
  return Object.assign(one, { "x-codeSamples": samples })
}

const pathItem = (path: string, item: OpenApi.OpenAPISpecPathItem, schemes: Schemes): OpenApi.OpenAPISpecPathItem =>
  Object.fromEntries(
    Object.entries(item).map(([method, one]) => [
      method,
      "operationId" in one ? withSample(operation(one, schemes), method, path) : one
    ])
  )

const securityScheme = (scheme: HttpApiSecurity): OpenApi.OpenAPISecurityScheme => {
  const description = Context.getOrElse(scheme.annotations, OpenApi.Description, () => "")
  return scheme._tag === "ApiKey"
    ? { type: "apiKey", in: scheme.in, name: scheme.key, description }
    : { type: "http", scheme: "bearer", description }
}

/**
 * The complete document.
 *
 * @param schemes The security schemes. Every operation accepts each of them.
 */
export const complete = (generated: Spec, schemes: Schemes): Spec => {
  const spec = normalize(generated) as Spec
  const used = new Set(
    Object.values(spec.paths)
      .flatMap((item) => operations(item))
      .flatMap(codesOf)
  )
  const own = Object.entries(spec.components.schemas).filter(([name]) => !name.startsWith("Problem_"))
  return {
    ...spec,
    paths: Object.fromEntries(Object.entries(spec.paths).map(([path, item]) => [path, pathItem(path, item, schemes)])),
    components: {
      schemas: { ...splitUnions(Object.fromEntries(own)), ...ProblemSchemas.schemas([...used]) },
      securitySchemes: Object.fromEntries(
        Object.entries(schemes).map(([name, scheme]) => [name, securityScheme(scheme)])
      )
    }
  }
}

const operations = (item: OpenApi.OpenAPISpecPathItem): ReadonlyArray<Operation> =>
  Object.values(item).filter((one): one is Operation => "operationId" in one)

const codesOf = ({ responses }: Operation): ReadonlyArray<ProblemCode> => Object.values(responses).flatMap(codesIn)
