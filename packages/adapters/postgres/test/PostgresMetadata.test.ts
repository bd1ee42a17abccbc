import * as RepositoryContract from "@holdfast/testing/metadata/RepositoryContract"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Store from "./support/Store.ts"

for (const locale of ["C.UTF-8", "en_US.UTF-8"] as const) {
  requires(Postgres.missing).describe(`PostgreSQL, locale ${locale}`, () =>
    RepositoryContract.suite("repositories", Store.layer(locale))
  )
}
