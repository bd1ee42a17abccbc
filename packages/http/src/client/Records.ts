/**
 * Records as the wire carries them: times are ISO 8601 texts in UTC.
 */
import type * as CoreMe from "@holdfast/core/access/Me"
import type * as Bucket from "@holdfast/core/buckets/Bucket"
import type * as File from "@holdfast/core/files/File"
import type * as FileList from "@holdfast/core/files/FileList"
import type * as Header from "@holdfast/core/headers/Header"
import type * as Member from "@holdfast/core/members/Member"
import type * as Mirror from "@holdfast/core/mirrors/Mirror"
import type * as MirrorInput from "@holdfast/core/mirrors/MirrorInput"
import type * as CoreRole from "@holdfast/core/Role"
import type * as Stream from "@holdfast/core/conversions/StreamRecord"
import type * as Tenant from "@holdfast/core/tenants/Tenant"
import type * as Token from "@holdfast/core/tokens/Token"

export type MeRecord = typeof CoreMe.Me.Encoded
export type RoleRecord = typeof CoreRole.Role.Encoded
export type TenantRecord = typeof Tenant.Tenant.Encoded
export type CreatedTenantRecord = typeof Tenant.CreatedTenant.Encoded
export type MemberRecord = typeof Member.Member.Encoded
export type TokenRecord = typeof Token.Token.Encoded
export type CreatedTokenRecord = typeof Token.CreatedToken.Encoded
export type BucketRecord = typeof Bucket.Bucket.Encoded
export type FileRecord = typeof File.File.Encoded
export type FilePage = typeof FileList.FilePage.Encoded
export type StreamRecord = typeof Stream.StreamRecord.Encoded
export type StreamFormat = StreamRecord["format"]
export type HeaderRecord = typeof Header.Header.Encoded
export type MirrorRecord = typeof Mirror.Mirror.Encoded
export type MirrorFileRecord = typeof Mirror.MirrorFile.Encoded

export type CreateTenant = typeof Tenant.CreateTenant.Encoded
export type UpdateTenant = typeof Tenant.UpdateTenant.Encoded
export type AddMember = typeof Member.AddMember.Encoded
export type UpdateMember = typeof Member.UpdateMember.Encoded
export type CreateToken = typeof Token.CreateToken.Encoded
export type CreateBucket = typeof Bucket.CreateBucket.Encoded
export type UpdateBucket = typeof Bucket.UpdateBucket.Encoded
export type CreateFile = typeof File.CreateFile.Encoded
export type UpdateFile = typeof File.UpdateFile.Encoded
export type CreateMirror = typeof MirrorInput.CreateMirror.Encoded
export type UpdateMirror = typeof MirrorInput.UpdateMirror.Encoded

export type Expand = File.Expand

/** One page of a list; `nextCursor` is null on the last one. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

export interface PageRequest {
  /** How many items at most; 100 when absent. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

export interface Listing<A> {
  readonly items: ReadonlyArray<A>
}

export interface InTenant {
  readonly tenantId: string
}

export interface BucketRef extends InTenant {
  readonly bucketId: string
}

export interface FileRef extends BucketRef {
  /** The file's id, or `@` and its alias. */
  readonly fileId: string
}

export interface Force {
  /** Also with everything inside. */
  readonly force?: boolean | undefined
}

/** Conditions on the content that stands, as in the headers of their names: entity tags with their quotes, or `*`. */
export interface Conditions {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}
