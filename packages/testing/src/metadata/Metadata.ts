/**
 * What the contract suites are given, and what they are written with.
 */
import type { Vitest } from "@effect/vitest"
import type { AccessRepository } from "@holdfast/core/access/AccessRepository"
import type { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import type { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import type { FileRepository } from "@holdfast/core/files/FileRepository"
import type { MemberRepository } from "@holdfast/core/members/MemberRepository"
import type { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import type { ConversionRepository } from "@holdfast/core/streams/ConversionRepository"
import type { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import type { TokenRepository } from "@holdfast/core/tokens/TokenRepository"

/** Every repository of one metadata store. They see each other's rows. */
export type Metadata =
  | AccessRepository
  | AccountRepository
  | BlobRepository
  | BucketRepository
  | ConversionRepository
  | FileRepository
  | MemberRepository
  | TenantRepository
  | TokenRepository

/** Registers tests that have the repositories. */
export type It = Vitest.MethodsNonLive<Metadata>
