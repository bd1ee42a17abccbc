/**
 * `writer <database> <tenant id> <bucket id>`: stores files in a bucket until it is killed. Prints the id of each acknowledged
 * file.
 */
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Effect from "effect/Effect"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"

const [file = "", tenantId = "", bucketId = ""] = process.argv.slice(2)

const print = (line: string) =>
  Effect.callback<void>((resume) => void process.stdout.write(`${line}\n`, () => resume(Effect.void)))

await Fixtures.store({ tenantId, bucketId }).pipe(
  Effect.flatMap(({ id }) => print(id)),
  Effect.forever,
  Effect.provide(SqliteMetadata.layer({ file })),
  Effect.runPromise
)
