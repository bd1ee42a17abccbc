import * as MirrorRemoval from "@holdfast/testing/mirrors/MirrorRemoval"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Store from "./support/Store.ts"

requires(Postgres.missing).describe("PostgreSQL", () =>
  MirrorRemoval.suite("removal of mirrors during copies", Store.layer("C.UTF-8"))
)
