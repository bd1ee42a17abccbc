/**
 * The contract of the repositories on PostgreSQL, with two orders of text.
 *
 * `HOLDFAST_CONTRACTS=all` (`pnpm contracts`) runs all of it with both. Otherwise the order of American English has the parts whose
 * statements sort texts, compare them, or find texts with a prefix.
 */
import * as RepositoryContract from "@holdfast/testing/metadata/RepositoryContract"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Store from "./support/Store.ts"

const isWhole = process.env["HOLDFAST_CONTRACTS"] === "all"

const sorting: RepositoryContract.Options = {
  only: [
    "tenants",
    "members",
    "buckets",
    "files: insert and find",
    "files: lists",
    "files: filters",
    "files: folders",
    "files: keys",
    "files: moves and removals of folders",
    "uploads in parts",
    "mirrors: tasks",
    "mirrors: names of objects",
    "mirrors: reconciliation",
    "events"
  ]
}

for (const [locale, options] of [
  ["C.UTF-8", {}],
  ["en_US.UTF-8", isWhole ? {} : sorting]
] as const) {
  requires(Postgres.missing).describe(`PostgreSQL, locale ${locale}`, () =>
    RepositoryContract.suite("repositories", Store.layer(locale), options)
  )
}
