/**
 * Values for tests. Every id, name and e-mail is a fresh one, so that suites can share a database and leave what they made.
 */
import { randomBytes } from "node:crypto"
import * as DateTime from "effect/DateTime"
import type { Account } from "@holdfast/core/accounts/Account"
import type { NewAccountKey } from "@holdfast/core/accounts/AccountRepository"
import type { Bucket } from "@holdfast/core/buckets/Bucket"
import { type Content, etagOf, type StoredFile } from "@holdfast/core/files/File"
import type { Kind } from "@holdfast/core/Ids"
import type { Member } from "@holdfast/core/members/Member"
import * as Role from "@holdfast/core/Role"
import type { Tenant } from "@holdfast/core/tenants/Tenant"
import type { Token } from "@holdfast/core/tokens/Token"

let clock = Date.now()

/** A well-formed id of a kind, greater than all that were made before. */
export const id = (kind: Kind): string => {
  const time = (++clock).toString(16).padStart(12, "0")
  const random = randomBytes(9).toString("hex")
  return `${kind}_${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`
}

/** A text that no other test uses. */
export const word = (): string => randomBytes(8).toString("hex")

/** A hash of 64 hexadecimal digits. */
export const hash = (): string => randomBytes(32).toString("hex")

/** Milliseconds after a fixed instant, which is not a whole second. */
export const at = (offset = 0): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(2026, 0, 2, 3, 4, 5, 678) + offset)

export const account = (email = `${word()}@example.com`): Account => ({ id: id("acc"), email })

export const member = (role: Role.RoleId = Role.admin, user: Account = account()): Member => ({
  id: id("mem"),
  user,
  role: { id: role, name: Role.nameOf(role) },
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

export const bucket = (name: string = word()): Bucket => ({ id: id("bkt"), name, createdAt: at(), updatedAt: at() })

export const token = (memberId: string, name = "ci"): Token => ({
  id: id("tok"),
  name,
  member: { id: memberId },
  prefix: "hf_12345",
  expiresAt: at(1_000_000),
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

/** A content of a blob. */
export const content = (blobId: string): Content => {
  const sha256 = hash()
  return {
    blobId,
    // More than 32 bits hold.
    size: 5_000_000_001,
    sha256,
    etag: etagOf(sha256),
    contentType: "text/plain; charset=utf-8",
    type: "TEXT",
    storedAt: at(7)
  }
}

/** A file without content; its name is a fresh one. */
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
  ...fields
})
