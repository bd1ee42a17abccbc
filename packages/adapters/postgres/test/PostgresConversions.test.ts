import * as LargeConversions from "@holdfast/testing/metadata/conversions/LargeConversions"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Store from "./support/Store.ts"

requires(Postgres.missing).describe("PostgreSQL", () =>
  LargeConversions.suite("conversions with many files", Store.layer("C.UTF-8"))
)
