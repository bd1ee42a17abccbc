import * as RepositoryContract from "@holdfast/testing/metadata/RepositoryContract"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PostgresMetadata from "../src/PostgresMetadata.ts"

for (const locale of ["C.UTF-8", "en_US.UTF-8"] as const) {
  const metadata = Layer.unwrap(
    Effect.gen(function* () {
      const server = yield* Postgres.Postgres
      return PostgresMetadata.layer({ url: yield* server.createDatabase })
    })
  ).pipe(Layer.provide(Postgres.layer({ locale })))

  requires(Postgres.missing).describe(`PostgreSQL, locale ${locale}`, () =>
    RepositoryContract.suite("repositories", metadata)
  )
}
