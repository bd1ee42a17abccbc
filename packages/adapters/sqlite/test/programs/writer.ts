/**
 * A process that stores files in a bucket for as long as it lives, and tells the id of each once it is acknowledged.
 * Arguments: the database file, the tenant's id, the bucket's id.
 */
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Effect from "effect/Effect"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"

const [file = "", tenantId = "", bucketId = ""] = process.argv.slice(2)

const tell = (line: string) =>
  Effect.callback<void>((resume) => void process.stdout.write(`${line}\n`, () => resume(Effect.void)))

await Fixtures.store({ tenantId, bucketId }).pipe(
  Effect.flatMap(({ id }) => tell(id)),
  Effect.forever,
  Effect.provide(SqliteMetadata.layer({ file })),
  Effect.runPromise
)
