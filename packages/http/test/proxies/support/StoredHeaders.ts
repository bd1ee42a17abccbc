/**
 * Stores headers of a file past the service's checks, as an earlier version could have accepted them.
 */
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as TestServer from "../../support/TestServer.ts"

/** Sets the headers over the API, which may refuse them, and then in the repository. */
export const set = async (
  server: TestServer.TestServer,
  bucket: { readonly tenantId: string; readonly bucketId: string },
  file: { readonly id: string; readonly path: string },
  headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
): Promise<ReadonlyArray<number>> => {
  const statuses: Array<number> = []
  for (const header of headers) {
    const answer = await server.post(`${file.path}/headers`, { json: header })
    statuses.push(answer.status)
    await answer.arrayBuffer()
  }
  await server.run(
    Effect.flatMap(FileRepository, (repository) =>
      repository.updateHeaders({
        bucket,
        selector: { _tag: "Id", id: file.id },
        change: () => Result.succeed(headers),
        at: DateTime.makeUnsafe(Date.now())
      })
    )
  )
  return statuses
}
