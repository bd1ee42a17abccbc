import * as MirrorConvergence from "@holdfast/testing/mirrors/MirrorConvergence"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Store from "./support/Store.ts"

requires(Postgres.missing).describe("PostgreSQL", () =>
  MirrorConvergence.suite("mirrors", Store.layer("en_US.UTF-8"), { runs: 8 })
)
