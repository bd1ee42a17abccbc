/**
 * The Promise API and the client have the same methods, and the client's records are the JSON of the contract.
 */
import type { Holdfast } from "@holdfast/core"
import type * as Share from "@holdfast/core/files/shares/Share"
import type * as Bucket from "@holdfast/core/buckets/Bucket"
import type * as Stream from "@holdfast/core/conversions/StreamRecord"
import type * as File from "@holdfast/core/files/File"
import type * as FileList from "@holdfast/core/files/FileList"
import type * as Event from "@holdfast/core/events/Event"
import type * as Header from "@holdfast/core/files/Header"
import type * as Invitation from "@holdfast/core/members/Invitation"
import type * as Member from "@holdfast/core/members/Member"
import type * as Mirror from "@holdfast/core/mirrors/Mirror"
import type * as Tenant from "@holdfast/core/tenants/Tenant"
import type * as Token from "@holdfast/core/tokens/Token"
import { expect, expectTypeOf, it } from "vitest"
import type * as Client from "../../src/client/index.ts"
import * as Support from "./support.ts"

/** Operations that the HTTP API does not have, or has as protocols: it takes contents in parts by tus. */
const libraryOnly = [
  "files.createUpload",
  "keys.create",
  "keys.iterate",
  "keys.list",
  "keys.revoke",
  "quotas.get",
  "quotas.set",
  "streams.get",
  "uploads.abort",
  "uploads.append",
  "uploads.complete",
  "uploads.get",
  "uploads.iterate",
  "uploads.iterateParts",
  "uploads.list",
  "uploads.listParts",
  "uploads.putPart",
  "uploads.resume"
]

/** Operations on URLs and pages, and on the API key of the client. */
const clientOnly = [
  "files.download",
  "files.url",
  "me",
  "roles",
  "streams.player",
  "streams.playerUrl",
  "streams.playlist",
  "streams.posterUrl",
  "streams.url"
]

const methodsOf = (api: object): ReadonlyArray<string> =>
  Object.entries(api).flatMap(([name, value]) =>
    typeof value === "function" ? [name] : Object.keys(value).map((method) => `${name}.${method}`)
  )

it("methods: Promise API and client → the same, except those that one of them cannot have", async () => {
  const { client, holdfast } = await Support.setUp()
  const library = methodsOf(holdfast).filter((name) => !libraryOnly.includes(name))
  const common = methodsOf(client).filter((name) => !clientOnly.includes(name))
  expect(library.length).toBeGreaterThan(30)
  expect(common.toSorted()).toEqual(library.toSorted())
  expect(methodsOf(holdfast)).toEqual(expect.arrayContaining(libraryOnly))
  expect(methodsOf(client)).toEqual(expect.arrayContaining(clientOnly))
})

it("records: types of the client → the JSON of the contract", () => {
  expectTypeOf<Client.TenantRecord>().branded.toEqualTypeOf<typeof Tenant.Tenant.Encoded>()
  expectTypeOf<Client.CreatedTenantRecord>().branded.toEqualTypeOf<typeof Tenant.CreatedTenant.Encoded>()
  expectTypeOf<Client.MemberRecord>().branded.toEqualTypeOf<typeof Member.Member.Encoded>()
  expectTypeOf<Client.InvitationRecord>().branded.toEqualTypeOf<typeof Invitation.Invitation.Encoded>()
  expectTypeOf<Client.TokenRecord>().branded.toEqualTypeOf<typeof Token.Token.Encoded>()
  expectTypeOf<Client.CreatedTokenRecord>().branded.toEqualTypeOf<typeof Token.CreatedToken.Encoded>()
  expectTypeOf<Client.BucketRecord>().branded.toEqualTypeOf<typeof Bucket.Bucket.Encoded>()
  expectTypeOf<Client.FileRecord>().branded.toEqualTypeOf<typeof File.File.Encoded>()
  expectTypeOf<Client.FilePage>().branded.toEqualTypeOf<typeof FileList.FilePage.Encoded>()
  expectTypeOf<Client.EventRecord>().branded.toEqualTypeOf<typeof Event.Event.Encoded>()
  expectTypeOf<Client.ShareRecord>().branded.toEqualTypeOf<typeof Share.Share.Encoded>()
  expectTypeOf<Client.CreatedShareRecord>().branded.toEqualTypeOf<typeof Share.CreatedShare.Encoded>()
  expectTypeOf<Client.HeaderRecord>().branded.toEqualTypeOf<typeof Header.Header.Encoded>()
  expectTypeOf<Client.StreamRecord>().branded.toEqualTypeOf<typeof Stream.StreamRecord.Encoded>()
  expectTypeOf<Client.MirrorRecord>().branded.toEqualTypeOf<typeof Mirror.Mirror.Encoded>()
  expectTypeOf<Client.MirrorFileRecord>().branded.toEqualTypeOf<typeof Mirror.MirrorFile.Encoded>()
})

it("types: inputs and results → those of the Promise API with times as strings", () => {
  type Library<Name extends keyof Holdfast["buckets"]> = Parameters<Holdfast["buckets"][Name]>[1]
  type Http<Name extends keyof Client.Client["buckets"]> = Parameters<Client.Client["buckets"][Name]>[0]
  expectTypeOf<Http<"create">>().toEqualTypeOf<Library<"create">>()
  expectTypeOf<Http<"list">>().toEqualTypeOf<Library<"list">>()
  expectTypeOf<Awaited<ReturnType<Holdfast["buckets"]["get"]>>["createdAt"]>().toEqualTypeOf<Date>()
  expectTypeOf<Awaited<ReturnType<Client.Client["buckets"]["get"]>>["createdAt"]>().toEqualTypeOf<string>()
})
