/**
 * The `201` response to a request that created a record.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { basePath } from "../../contract/Api.ts"

/** The path prefix under which a host mounts the API, empty without one. It precedes `/api/v1` in every `Location`. */
export const MountPath = Context.Reference<string>("@holdfast/http/handlers/MountPath", { defaultValue: () => "" })

/**
 * The record with its `Location` header.
 *
 * @param segments The record's path below the API's base path, not yet percent-encoded.
 */
export const withLocation = <A>(
  record: A,
  ...segments: ReadonlyArray<string>
): Effect.Effect<HttpApiSchema.withHeaders<A, { readonly location: string }>> =>
  Effect.map(MountPath, (mount) =>
    HttpApiSchema.withHeaders({
      body: record,
      headers: { location: [`${mount}${basePath}`, ...segments.map(encodeURIComponent)].join("/") }
    })
  )
