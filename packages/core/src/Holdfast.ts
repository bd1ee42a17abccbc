/**
 * The whole of Holdfast as one layer: every service, over the ports that an application chooses.
 */
import * as Layer from "effect/Layer"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Access from "./access/Access.ts"
import type { AccessRepository } from "./access/AccessRepository.ts"
import type { AccountRepository } from "./accounts/AccountRepository.ts"
import * as Accounts from "./accounts/Accounts.ts"
import type { BucketRepository } from "./buckets/BucketRepository.ts"
import * as Buckets from "./buckets/Buckets.ts"
import * as Downloads from "./files/Downloads.ts"
import type { FileRepository } from "./files/FileRepository.ts"
import * as Files from "./files/Files.ts"
import * as Uploads from "./files/Uploads.ts"
import * as Headers from "./headers/Headers.ts"
import type { MemberRepository } from "./members/MemberRepository.ts"
import * as Members from "./members/Members.ts"
import type { BlobRepository } from "./storage/BlobRepository.ts"
import type { BlobStore } from "./storage/BlobStore.ts"
import * as Fsck from "./storage/Fsck.ts"
import * as Sweeper from "./storage/Sweeper.ts"
import type { TenantRepository } from "./tenants/TenantRepository.ts"
import * as Tenants from "./tenants/Tenants.ts"
import type { TokenRepository } from "./tokens/TokenRepository.ts"
import * as Tokens from "./tokens/Tokens.ts"

/** The repositories: one metadata adapter gives them all. */
export type Metadata =
  | AccessRepository
  | AccountRepository
  | TenantRepository
  | MemberRepository
  | TokenRepository
  | BucketRepository
  | FileRepository
  | BlobRepository

/** What Holdfast needs: metadata, a place for bytes, and cryptography. */
export type Ports = Metadata | BlobStore | SecureRandom | Digest

/** What Holdfast offers. */
export type Services =
  | Access.Access
  | Accounts.Accounts
  | Tenants.Tenants
  | Members.Members
  | Tokens.Tokens
  | Buckets.Buckets
  | Files.Files
  | Uploads.Uploads
  | Downloads.Downloads
  | Headers.Headers
  | Sweeper.Sweeper
  | Fsck.Fsck

/** Every service. No background work: `Sweeper.layerPeriodic` is added where it should run. */
export const layer: Layer.Layer<Services, never, Ports> = Layer.mergeAll(
  Accounts.layer,
  Tenants.layer,
  Members.layer,
  Tokens.layer,
  Buckets.layer,
  Files.layer,
  Uploads.layer,
  Downloads.layer,
  Headers.layer,
  Sweeper.layer,
  Fsck.layer
).pipe(Layer.provideMerge(Access.layer))
