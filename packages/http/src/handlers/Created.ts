/**
 * The answer to a creation: the record, and where it is.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { basePath } from "../contract/Api.ts"

/** What stands before `/api/v1` in the addresses that clients use, where a host mounts the API under a prefix. */
export const MountPath = Context.Reference<string>("@holdfast/http/handlers/MountPath", { defaultValue: () => "" })

/** Answers with the record; `segments` lead to it from the API's base path. */
export const at = <A>(
  record: A,
  ...segments: ReadonlyArray<string>
): Effect.Effect<HttpApiSchema.withHeaders<A, { readonly location: string }>> =>
  Effect.map(MountPath, (mount) =>
    HttpApiSchema.withHeaders({
      body: record,
      headers: { location: [`${mount}${basePath}`, ...segments.map(encodeURIComponent)].join("/") }
    })
  )
