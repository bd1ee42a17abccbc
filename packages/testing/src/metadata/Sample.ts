/**
 * Sample records for tests. Every id, name and e-mail is new, so that suites can share a database without removing their
 * records.
 */
import { randomBytes } from "node:crypto"
import * as DateTime from "effect/DateTime"
import type { Account } from "@holdfast/core/accounts/Account"
import type { NewAccountKey } from "@holdfast/core/accounts/AccountRepository"
import type { Bucket } from "@holdfast/core/buckets/Bucket"
import * as ContentRules from "@holdfast/core/buckets/ContentRules"
import * as ShareRules from "@holdfast/core/buckets/ShareRules"
import { type Content, etagOf, type StoredFile } from "@holdfast/core/files/File"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { FolderChange } from "@holdfast/core/folders/FolderRepository"
import type { Kind } from "@holdfast/core/Ids"
import type { Member } from "@holdfast/core/members/Member"
import * as Role from "@holdfast/core/Role"
import type { Tenant } from "@holdfast/core/tenants/Tenant"
import type { Token } from "@holdfast/core/tokens/Token"

let clock = Date.now()

/** Returns a well-formed id of a kind, greater than all previous ones. */
export const id = (kind: Kind): string => {
  const time = (++clock).toString(16).padStart(12, "0")
  const random = randomBytes(9).toString("hex")
  return `${kind}_${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`
}

/** Returns a text that no other test uses. */
export const word = (): string => randomBytes(8).toString("hex")

/** Returns a random hash of 64 hexadecimal digits. */
export const hash = (): string => randomBytes(32).toString("hex")

/** Returns the instant that is `offset` milliseconds after a fixed one, which is not a whole second. */
export const at = (offset = 0): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(2026, 0, 2, 3, 4, 5, 678) + offset)

/** A removal of a folder with all its files. */
export const folderRemoval = (bucketRef: BucketRef, path: string): FolderChange => ({
  bucket: bucketRef,
  jobId: id("job"),
  kind: "REMOVE",
  path,
  to: null,
  conflict: { onConflict: "fail", suffix: "" },
  at: at(),
  sweepAt: at(90_000)
})

export const account = (email = `${word()}@example.com`): Account => ({ id: id("acc"), email })

export const member = (role: Role.RoleId = Role.admin, user: Account = account()): Member => ({
  id: id("mem"),
  user,
  role: { id: role, name: Role.nameOf(role) },
  status: "ACTIVE",
  createdAt: at(),
  updatedAt: at()
})

export const tenant = (): Tenant => ({
  id: id("ten"),
  name: "A tenant",
  subdomain: `t-${word()}`,
  createdAt: at(),
  updatedAt: at()
})

export const bucket = (name: string = word()): Bucket => ({
  id: id("bkt"),
  name,
  maxBytes: null,
  maxFiles: null,
  ...ContentRules.none,
  visibility: "private",
  shares: ShareRules.none,
  createdAt: at(),
  updatedAt: at()
})

export const token = (memberId: string, name = "ci"): Token => ({
  id: id("tok"),
  name,
  member: { id: memberId },
  prefix: "hf_12345",
  expiresAt: at(1_000_000),
  scope: null,
  allowedOrigins: null,
  createdBy: null,
  createdAt: at(),
  lastUsedAt: null,
  revokedAt: null
})

export const accountKey = (): NewAccountKey => ({
  id: id("key"),
  name: "operator",
  hash: hash(),
  prefix: "hf_abcde",
  createdAt: at()
})

/** Returns the content record for a blob. */
export const content = (blobId: string): Content & { readonly sha256: string } => {
  const sha256 = hash()
  return {
    blobId,
    // More than an unsigned 32-bit integer.
    size: 5_000_000_001,
    sha256,
    etag: etagOf(sha256),
    contentType: "text/plain; charset=utf-8",
    type: "TEXT",
    storedAt: at(7)
  }
}

/** Returns a file without content, with a new name. */
export const file = (fields: Partial<StoredFile> = {}): StoredFile => ({
  id: id("fil"),
  name: word(),
  path: "/",
  alias: null,
  version: 0,
  metadata: {},
  headers: [],
  createdAt: at(),
  updatedAt: at(),
  content: null,
  damaged: false,
  ...fields
})
